import { definedOf } from '../../collections/defined-of.ts';
import { isObject, MAX_LEVELS, parseJson } from '../../collections/parse-json.ts';
import { finalSummary as finalSummaryBody } from '../../marketplace/webhooks/final-summary.ts';
import { type Rejection, UNKNOWN_STORE } from '../../rejections/model.ts';
import { reportRejections } from '../../rejections/use-cases/report-rejections.ts';
import type { BatchRecord, ReceivedSummary } from '../model.ts';
import type { RecordBatchPorts, SummaryArchive } from '../ports.ts';
import { acceptedRowsOf, rejectedRowOf } from '../rules/answered-rows.ts';
import { rowsKeyOf } from '../rules/sent-rows.ts';
import { recordSummary } from './record-batch.ts';

const NO_JSON_OBJECT = `the body is no JSON object, or nests more than ${MAX_LEVELS} levels deep`;

export interface ProcessSummaryPorts extends RecordBatchPorts {
  readonly archive: SummaryArchive;
}

/**
 * Adds a received final summary to its batch. A summary that is invalid or names no batch becomes a rejection; its body is
 * archived, and the rejection has the key.
 */
export async function processSummary(
  ports: ProcessSummaryPorts,
  received: ReceivedSummary,
): Promise<BatchRecord | Rejection> {
  const { receivedAt } = received;
  const archiveKey = 'archiveKey' in received ? received.archiveKey : undefined;
  const body = 'body' in received ? received.body : await textOf(ports.archive, received.archiveKey);
  const json = parseJson(body);
  const parsed = finalSummaryBody.safeParse(json);
  if (!parsed.success || (parsed.data.batchId ?? parsed.data.requestId) === undefined) {
    const origin = archiveKey ?? (await ports.archive.put(Buffer.from(body), receivedAt));
    const rejection: Rejection = {
      storeClientId: parsed.data?.storeClientId ?? UNKNOWN_STORE,
      rejectionId: `${receivedAt}#${origin}`,
      rejectedAt: receivedAt,
      code: 'SUMMARY_INVALID',
      message: isObject(json)
        ? (parsed.error?.issues[0]?.message ?? 'the summary names no batch')
        : NO_JSON_OBJECT,
      origin,
    };
    await reportRejections(ports, [rejection]);
    return rejection;
  }
  const { batchId, requestId, storeClientId, summary, errors, acceptedRows } = parsed.data;
  const named = [...acceptedRows, ...errors];
  const isWhole = storeClientId !== undefined && named.length === summary.total;
  const rowsKey = isWhole ? rowsKeyOf(storeClientId, named) : undefined;
  return recordSummary(
    ports,
    { batchId, requestId, rowsKey },
    {
      receivedAt,
      summary,
      rejectedRows: errors.map(rejectedRowOf),
      ...(acceptedRows.length > 0 && { acceptedRows: acceptedRowsOf(acceptedRows) }),
      ...definedOf({ requestId, storeClientId, archiveKey }),
    },
  );
}

async function textOf(archive: SummaryArchive, archiveKey: string): Promise<string> {
  return Buffer.from(await archive.get(archiveKey)).toString('utf8');
}
