import { createSummaryArchive } from '../../shared/aws/archive-bucket.ts';
import { s3Client, secretsClient, sqsClient } from '../../shared/aws/clients.ts';
import { createPartnerSecret, createSecretReader } from '../../shared/aws/partner-secret.ts';
import { createQueueSender, createSummaryQueue } from '../../shared/aws/queue-sender.ts';
import { receiveSummary } from '../../shared/batches/use-cases/receive-summary.ts';
import { HttpError, httpHandler } from '../../shared/lambda/http-handler.ts';
import { addCount, logger } from '../../shared/lambda/observability.ts';
import {
  carriesSignature,
  type ReceivedWebhook,
  webhookSchemes,
  withLimitedRefresh,
} from '../../shared/marketplace/webhooks/verification.ts';
import { environment } from '../../shared/settings/environment.ts';
import { systemClock } from '../../shared/time/system-clock.ts';

// A call of AWS that hangs is repeated within the time of the function, as the marketplace may not send a webhook again.
const secrets = createPartnerSecret(
  createSecretReader(secretsClient('prompt')),
  environment.partnerSecretArn,
);
// A function with an unusable secret refuses to start (P9).
await secrets.webhookSecrets();

const ports = {
  secrets: withLimitedRefresh(secrets, systemClock),
  archive: createSummaryArchive(environment.archiveBucket, s3Client('prompt')),
  summaries: createSummaryQueue(createQueueSender(sqsClient('prompt'), environment.summariesQueueUrl)),
  clock: systemClock,
};

const { webhookVerification } = environment;
const settings = {
  schemes: webhookVerification === 'both' ? webhookSchemes : ([webhookVerification] as const),
  replayWindowMs: environment.webhookReplayWindowSeconds * 1000,
};

/** Largest accepted body in bytes. Lambda's event, which contains the body as an escaped text, has at most 6 MB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** `POST /webhooks/marketplace`: the marketplace's final summaries. */
export const handler = httpHandler(async ({ method, path, headers, rawBody }) => {
  const webhook = { method, path, headers, rawBody };
  if (rawBody.byteLength > MAX_BODY_BYTES) {
    countRefusal(webhook);
    throw new HttpError(413, 'BODY_TOO_LARGE', `the body has more than ${MAX_BODY_BYTES} bytes`);
  }
  // The signature and its time are verified first: `verifyWebhook` in shared/marketplace/webhooks/verification.ts.
  const result = await receiveSummary(ports, settings, webhook);
  if (!result.accepted) {
    countRefusal(webhook);
    const { reason, signedBy } = result;
    const hint =
      signedBy === undefined ? '' : `; it is signed by ${signedBy}: set webhookVerification to that`;
    throw new HttpError(401, 'WEBHOOK_REFUSED', `${reason}${hint}`);
  }
  if ('selfTest' in result) {
    logger.info('self-test received', { selfTest: result.selfTest });
    return { status: 200, body: { selfTest: result.selfTest } };
  }
  logger.info('summary received', { ...result.ids, bytes: rawBody.byteLength });
  return { status: 202 };
});

/** An alarm watches `WebhooksRefused` only: anyone can post without a signature, but the marketplace always signs. */
function countRefusal(webhook: ReceivedWebhook): void {
  const metric = carriesSignature(webhook) ? 'WebhooksRefused' : 'WebhooksUnsigned';
  addCount(metric);
}
