import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { limits } from './clients.ts';

/** Client of DynamoDB for plain objects. It omits attributes that are `undefined`. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(limits('usual')), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
