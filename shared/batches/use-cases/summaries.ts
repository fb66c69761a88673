import { definedOf } from '../../collections/defined-of.ts';
import { parseJson } from '../../collections/parse-json.ts';
import { finalSummary as finalSummaryBody } from '../../marketplace/webhooks/final-summary.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { BatchRecord, ReceivedSummary } from '../model.ts';
import type { SummaryArchive } from '../ports.ts';
import { acceptedRowsOf, rejectedRowOf } from '../rules/apply-fact.ts';
import { type RecordBatchPorts, recordSummary } from './record-batch.ts';

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
