import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';

/** How long a call of AWS waits for its answer, and for more of its body, in milliseconds. */
const ANSWER_MS = {
  usual: 10_000,
  /** For the webhook receiver: within its 10 s, a call that hangs can be repeated twice. */
  prompt: 3_000,
  /** For a large object, which is sent whole, or read while it is processed. */
  large: 30_000,
} as const;

type Pace = keyof typeof ANSWER_MS;

/** Time limits of calls. The SDK has none by default, so a lost packet would block a function until its timeout. */
export function limits(pace: Pace) {
  return {
    maxAttempts: 4,
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: ANSWER_MS[pace],
      // Without this option the SDK only logs a warning after `requestTimeout`, and waits on.
      throwOnRequestTimeout: true,
      // `requestTimeout` covers only the head of the answer. This limit ends a body that stands still. From 6 s on the SDK adds 3 s, as
      // it begins to watch only then.
      socketTimeout: ANSWER_MS[pace],
    },
  };
}

export const sqsClient = (pace: Pace = 'usual') => new SQSClient(limits(pace));
export const s3Client = (pace: Pace = 'usual') => new S3Client(limits(pace));
export const eventBridgeClient = () => new EventBridgeClient(limits('usual'));
export const secretsClient = (pace: Pace = 'usual') => new SecretsManagerClient(limits(pace));
