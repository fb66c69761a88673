import { z } from 'zod';
import {
  acceptedRow,
  namedStore,
  type RowError,
  reportedCounts,
  rowErrors,
  rowsOf,
  type SummaryCounts,
  trackingId,
} from '../batch.ts';
import { failuresIn } from '../row-outcomes.ts';

const text = z.string().min(1).optional().catch(undefined);
const summaryFields = {
  batchId: trackingId,
  requestId: trackingId,
  storeClientId: namedStore,
  summary: reportedCounts,
  acceptedRows: rowsOf(acceptedRow),
  successItems: rowsOf(acceptedRow),
  errors: rowErrors,
};

/**
 * The webhook's body, which the specification does not show (§6). IDs, counts and rows are read at the top level or under
 * `data`, by any of the names that the specification uses elsewhere. A missing `total` is computed.
 */
export const finalSummary = z
  .looseObject({
    ...summaryFields,
    success: z.boolean().optional().catch(undefined),
    event: text,
    timestamp: z.union([z.string(), z.number()]).optional().catch(undefined),
    data: z.looseObject(summaryFields).optional().catch(undefined),
  })
  .transform(({ data, event, timestamp, success, ...body }) => ({
    batchId: body.batchId ?? data?.batchId,
    requestId: body.requestId ?? data?.requestId,
    storeClientId: body.storeClientId ?? data?.storeClientId,
    // A summary that denies success settles only the rows that it names: as if it counted none.
    counts:
      success === false ? { ...(body.summary ?? data?.summary), total: 0 } : (body.summary ?? data?.summary),
    acceptedRows: firstFilled(body.acceptedRows, body.successItems, data?.acceptedRows, data?.successItems),
    errors: firstFilled(body.errors, data?.errors),
    event,
    timestamp,
  }))
  .refine(
    ({ counts, batchId, requestId }) => counts ?? batchId ?? requestId,
    'neither a summary nor an id of a batch',
  )
  .transform(({ counts = {}, ...body }) => ({
    ...body,
    summary: countsOf(counts, body.acceptedRows.length, countRows(body.errors)),
  }));

function countsOf(counts: SummaryCounts, acceptedRows: number, errorRows: number) {
  const pending = counts.pending ?? 0;
  const failed = failuresIn({ ...counts, failed: counts.failed ?? counts.skipped ?? errorRows });
  const succeeded = counts.succeeded ?? counts.accepted ?? acceptedRows;
  return { total: counts.total ?? succeeded + failed + pending, failed, pending };
}

/** The rows that errors are about: one may have several errors. */
function countRows(errors: readonly RowError[]): number {
  const rows = errors.map(({ rowIndex, id, sku, externalId, orderId, invoiceNumber }) =>
    JSON.stringify([rowIndex, id, sku, externalId, orderId, invoiceNumber]),
  );
  return new Set(rows).size;
}

function firstFilled<Row>(...lists: (readonly Row[] | undefined)[]): readonly Row[] {
  return lists.find((list) => list !== undefined && list.length > 0) ?? [];
}
