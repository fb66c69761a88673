import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Milliseconds. By default the SDK has no time limit, so a lost packet would block a function until its timeout. */
const limits = {
  maxAttempts: 4,
  // Without `throwOnRequestTimeout` the SDK only logs a warning after `requestTimeout`, and waits on.
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** Client of DynamoDB for plain objects. It omits attributes that are `undefined`. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(limits), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

export const sqsClient = () => new SQSClient(limits);
