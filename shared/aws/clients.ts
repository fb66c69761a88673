import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Milliseconds. By default the SDK has no time limit, so a lost packet would block a function until its timeout. */
const limits = {
  maxAttempts: 4,
  // Without `throwOnRequestTimeout` the SDK only logs a warning after `requestTimeout`, and waits on.
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** A document is uploaded while it is received, so the upload takes as long as the marketplace's answer. */
const objectLimits = { ...limits, requestHandler: { ...limits.requestHandler, requestTimeout: 30_000 } };

/** Client of DynamoDB for plain objects. It omits attributes that are `undefined`. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(limits), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

export const sqsClient = () => new SQSClient(limits);
/** Its time limits do not apply to the body of an answer, so that a large object can be read as a stream. */
export const s3Client = () => new S3Client(objectLimits);
