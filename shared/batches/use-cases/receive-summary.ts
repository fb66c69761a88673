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

/**
 * Verifies a webhook's signature over the raw bytes, archives the body and queues it; then it may be acknowledged. A
 * webhook that fails verification changes nothing. A wrong signature is verified once more with secrets read anew, as
 * they may have been rotated.
 */
export async function receiveSummary(
  ports: ReceiveSummaryPorts,
  { schemes, replayWindowMs }: WebhookSettings,
  webhook: ReceivedWebhook,
): Promise<
  | { readonly accepted: true; readonly archiveKey: string }
  | { readonly accepted: false; readonly reason: WebhookRefusal }
> {
  const now = ports.clock.now();
  const verify = (secrets: readonly string[]) =>
    verifyWebhook(webhook, { schemes, secrets, now, replayWindowMs });
  let verification = verify(await ports.secrets.webhookSecrets());
  if (!verification.ok && verification.reason === 'signature-wrong') {
    verification = verify(await ports.secrets.webhookSecrets({ fresh: true }));
  }
  if (!verification.ok) return { accepted: false, reason: verification.reason };
  const receivedAt = new Date(now).toISOString();
  const archiveKey = await ports.archive.put(webhook.rawBody, receivedAt);
  await ports.summaries.send({ archiveKey, receivedAt });
  return { accepted: true, archiveKey };
}
