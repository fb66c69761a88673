import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../collections/parse-json.ts';
import { finalSummary as finalSummaryBody } from '../../marketplace/webhooks/final-summary.ts';
import {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookScheme,
  type WebhookSecrets,
} from '../../marketplace/webhooks/verification.ts';
import type { Clock } from '../../time/clock.ts';
import type { SummaryArchive, SummaryQueue } from '../ports.ts';

export interface ReceiveSummaryPorts {
  readonly archive: Pick<SummaryArchive, 'put'>;
  readonly summaries: SummaryQueue;
  readonly secrets: WebhookSecrets;
  readonly clock: Pick<Clock, 'now'>;
}

export interface WebhookSettings {
  readonly schemes: readonly WebhookScheme[];
  readonly replayWindowMs: number;
}

/** Bytes of the largest body that travels in a queue message: with every character escaped it still fits. */
const MAX_QUEUED_BODY_BYTES = 150_000;

/**
 * Verifies a webhook's signature over the raw bytes and queues the body; then it may be acknowledged. A body that does not
 * fit into a message is archived first. A webhook that fails verification changes nothing. A wrong signature is verified
 * once more with secrets read anew, as they may have been rotated.
 */
export async function receiveSummary(
  ports: ReceiveSummaryPorts,
  { schemes, replayWindowMs }: WebhookSettings,
  webhook: ReceivedWebhook,
): Promise<{ readonly accepted: true } | { readonly accepted: false; readonly reason: WebhookRefusal }> {
  const now = ports.clock.now();
  const verify = (secrets: readonly string[]) =>
    verifyWebhook(webhook, { schemes, secrets, now, replayWindowMs });
  let verification = verify(await ports.secrets.webhookSecrets());
  if (!verification.ok && verification.reason === 'signature-wrong') {
    verification = verify(await ports.secrets.webhookSecrets({ fresh: true }));
  }
  if (!verification.ok) return { accepted: false, reason: verification.reason };
  const receivedAt = new Date(now).toISOString();
  const { rawBody } = webhook;
  const isQueueable = rawBody.byteLength <= MAX_QUEUED_BODY_BYTES && isUtf8(rawBody);
  await ports.summaries.send(
    isQueueable
      ? { body: Buffer.from(rawBody).toString('utf8'), receivedAt }
      : { archiveKey: await ports.archive.put(rawBody, receivedAt), receivedAt },
  );
  return { accepted: true };
}

/** The IDs in a final summary, as far as it has them. */
export function idsOfSummary(rawBody: Uint8Array) {
  const { batchId, requestId, storeClientId } =
    finalSummaryBody.safeParse(parseJson(Buffer.from(rawBody).toString('utf8'))).data ?? {};
  return { batchId, requestId, storeClientId };
}
