import { definedOf } from '../../collections/defined-of.ts';
import { parseJson } from '../../collections/parse-json.ts';
import { finalSummary as finalSummaryBody } from '../../marketplace/webhooks/final-summary.ts';
import {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookRefusal,
  type WebhookScheme,
  type WebhookSecrets,
} from '../../marketplace/webhooks/verification.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { Clock } from '../../time/clock.ts';
import type { BatchRecord, ReceivedSummary } from '../model.ts';
import type { SummaryArchive, SummaryQueue } from '../ports.ts';
import { acceptedRowsOf, rejectedRowOf } from '../rules/apply-fact.ts';
import { type RecordBatchPorts, recordSummary } from './record-batch.ts';

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

export interface ProcessSummaryPorts extends RecordBatchPorts, ReportRejectionsPorts {
  readonly archive: Pick<SummaryArchive, 'get'>;
}

/**
 * Adds a received final summary to its batch. An invalid summary, or one that names no batch, becomes a rejection with
 * the key of the archived body.
 */
export async function processSummary(
  ports: ProcessSummaryPorts,
  received: ReceivedSummary,
): Promise<BatchRecord | Rejection> {
  const { archiveKey, receivedAt } = received;
  const body = await ports.archive.get(archiveKey);
  const parsed = finalSummaryBody.safeParse(parseJson(Buffer.from(body).toString('utf8')));
  if (!parsed.success || (parsed.data.batchId ?? parsed.data.requestId) === undefined) {
    const rejection: Rejection = {
      storeClientId: parsed.data?.storeClientId ?? UNKNOWN_STORE,
      rejectionId: archiveKey,
      rejectedAt: receivedAt,
      code: 'SUMMARY_INVALID',
      message: parsed.error?.issues[0]?.message ?? 'the summary names no batch',
      origin: archiveKey,
    };
    await reportRejections(ports, [rejection]);
    return rejection;
  }
  const { requestId, storeClientId, summary, errors, acceptedRows } = parsed.data;
  return recordSummary(ports, parsed.data, {
    receivedAt,
    summary,
    archiveKey,
    rejectedRows: errors.map(rejectedRowOf),
    ...(acceptedRows.length > 0 && { acceptedRows: acceptedRowsOf(acceptedRows) }),
    ...definedOf({ requestId, storeClientId }),
  });
}
