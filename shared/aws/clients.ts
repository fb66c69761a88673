import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The SDK sets no time limit by itself: a lost packet would hold a function until its own timeout. Milliseconds. */
const limits = {
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000 },
} as const;

/** Client of DynamoDB that takes and gives plain objects; leaves out attributes that are `undefined`. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(limits), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

export const sqsClient = () => new SQSClient(limits);
export const eventBridgeClient = () => new EventBridgeClient(limits);
export const secretsManagerClient = () => new SecretsManagerClient(limits);
/** Objects may be large: the time limit is for the first byte of an answer and each pause after it. */
export const s3Client = () => new S3Client(limits);
