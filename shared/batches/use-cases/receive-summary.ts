import {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookScheme,
} from '../../marketplace/webhooks/verification.ts';
import type { WebhookSecrets } from '../../marketplace/webhooks/webhook-secrets.ts';
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
 * Takes a webhook in: its signature verified over the raw bytes, then archived, then queued; only then is it
 * acknowledged. A webhook that does not verify changes nothing (design P9). A signature that the known secrets did not
 * make is tried once against the secrets read anew, as one may have been rotated.
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
