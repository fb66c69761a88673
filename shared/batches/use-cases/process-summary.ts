import { parseJson } from '../../collections/parse-json.ts';
import { finalSummary as finalSummaryBody } from '../../marketplace/webhooks/final-summary.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import {
  type ReportRejectionsPorts,
  reportRejections,
} from '../../rejections/use-cases/report-rejections.ts';
import type { BatchRecord, ReceivedSummary } from '../model.ts';
import type { SummaryArchive } from '../ports.ts';
import { acceptedRowsOf, rejectedRowOf } from '../rules/report.ts';
import { type RecordBatchPorts, recordSummary } from './record-batch.ts';

export interface ProcessSummaryPorts extends RecordBatchPorts, ReportRejectionsPorts {
  readonly archive: Pick<SummaryArchive, 'get'>;
}

/**
 * Brings a received final summary to its batch. One that can't be read, or names no batch, is kept as a rejection that
 * says where its body lies; it never disturbs another.
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
    ...(requestId === undefined ? {} : { requestId }),
    ...(storeClientId === undefined ? {} : { storeClientId }),
  });
}
