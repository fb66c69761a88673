import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';

/** How long a call of AWS waits for its answer, and for more of its body, in milliseconds. */
const ANSWER_MS = {
  usual: 10_000,
  /** The webhook receiver's, which has 10 s for all: a call that hangs is repeated twice in it. */
  prompt: 3_000,
  /** Calls about a large object: sent whole, or read while it is worked on. */
  large: 30_000,
} as const;

type Pace = keyof typeof ANSWER_MS;

/** By default the SDK has no time limit, so a lost packet would block a function until its timeout. */
export function limits(pace: Pace) {
  return {
    maxAttempts: 4,
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: ANSWER_MS[pace],
      // Without it the SDK only logs a warning after `requestTimeout`, and waits on.
      throwOnRequestTimeout: true,
      // `requestTimeout` ends with the head of the answer. A body that stands still ends after this, and 3 s more from 6 s on,
      // as the SDK watches it from then on only.
      socketTimeout: ANSWER_MS[pace],
    },
  };
}

export const sqsClient = (pace: Pace = 'usual') => new SQSClient(limits(pace));
export const s3Client = (pace: Pace = 'usual') => new S3Client(limits(pace));
export const eventBridgeClient = () => new EventBridgeClient(limits('usual'));
export const secretsClient = (pace: Pace = 'usual') => new SecretsManagerClient(limits(pace));
