import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../collections/parse-json.ts';
import { unpackedBytes } from '../../marketplace/unpacked.ts';
import { selfTestId } from '../../marketplace/webhooks/self-test.ts';
import { type SummaryIds, summaryIds } from '../../marketplace/webhooks/summary-ids.ts';
import {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookScheme,
  type WebhookSecrets,
  webhookSchemes,
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

/** Most bytes of a body that is sent in a queue message. Such a body fits even if every character is escaped. */
const MAX_QUEUED_BODY_BYTES = 150_000;
/** Most bytes of a compressed body after unpacking. An uncompressed body may have as many. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024;

/**
 * Verifies a webhook's signature over the raw bytes. If it is wrong and the body is compressed, verifies it over the unpacked
 * bytes too, as some senders sign these. If it is still wrong, reads the secrets again and verifies once more, as the secrets may
 * have been rotated. A webhook that fails verification changes nothing.
 *
 * Queues the unpacked body; then the webhook may be acknowledged. A body that does not fit into a message is archived first. A
 * self-test is not queued.
 */
export async function receiveSummary(
  ports: ReceiveSummaryPorts,
  { schemes, replayWindowMs }: WebhookSettings,
  webhook: ReceivedWebhook,
): Promise<
  | { readonly accepted: true; readonly selfTest: string }
  | { readonly accepted: true; readonly ids: SummaryIds }
  | {
      readonly accepted: false;
      readonly reason: WebhookRefusal;
      /** The scheme by which the webhook is signed correctly, if the settings do not have this scheme. */
      readonly signedBy?: WebhookScheme;
    }
> {
  const now = ports.clock.now();
  const unpacked = unpackedBytes(webhook.rawBody, MAX_UNPACKED_BYTES);
  const verify = (valid: readonly string[], by = schemes) => {
    const options = { schemes: by, secrets: valid, now, replayWindowMs };
    const verification = verifyWebhook(webhook, options);
    if (verification.ok || verification.reason !== 'signature-wrong' || unpacked === undefined)
      return verification;
    return verifyWebhook({ ...webhook, rawBody: unpacked }, options);
  };
  let secrets = await ports.secrets.webhookSecrets();
  let verification = verify(secrets);
  if (!verification.ok && verification.reason === 'signature-wrong') {
    secrets = await ports.secrets.webhookSecrets({ fresh: true });
    verification = verify(secrets);
  }
  if (!verification.ok) {
    const others = webhookSchemes.filter((scheme) => !schemes.includes(scheme));
    const other = verify(secrets, others);
    return {
      accepted: false,
      reason: verification.reason,
      ...(other.ok && { signedBy: other.scheme }),
    };
  }
  const receivedAt = new Date(now).toISOString();
  const body = unpacked ?? webhook.rawBody;
  const text = Buffer.from(body).toString('utf8');
  const parsed = parseJson(text);
  const selfTest = selfTestId(parsed);
  if (selfTest !== undefined) return { accepted: true, selfTest };
  const isQueueable = body.byteLength <= MAX_QUEUED_BODY_BYTES && isUtf8(body);
  await ports.summaries.send(
    isQueueable
      ? { body: text, receivedAt }
      : { archiveKey: await ports.archive.put(body, receivedAt), receivedAt },
  );
  return { accepted: true, ids: summaryIds.safeParse(parsed).data ?? {} };
}
