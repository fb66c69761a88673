import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The SDK sets no time limit by itself: a lost packet would hold a function until its own timeout. Milliseconds. */
const limits = {
  maxAttempts: 4,
  // Without `throwOnRequestTimeout` the SDK warns of a request that takes too long, and goes on waiting.
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** A document is stored while it comes: its upload takes as long as the marketplace does. */
const objectLimits = { ...limits, requestHandler: { ...limits.requestHandler, requestTimeout: 30_000 } };

/** Client of DynamoDB that takes and gives plain objects; leaves out attributes that are `undefined`. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(limits), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

export const sqsClient = () => new SQSClient(limits);
export const eventBridgeClient = () => new EventBridgeClient(limits);
export const secretsManagerClient = () => new SecretsManagerClient(limits);
/** An answer's body is not limited: who reads a large object takes his time. */
export const s3Client = () => new S3Client(objectLimits);
