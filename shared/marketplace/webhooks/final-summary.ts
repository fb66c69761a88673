import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import {
  acceptedRows,
  deniesSuccess,
  limitSize,
  mergedCounts,
  type RowError,
  reportedCounts,
  rowErrors,
  type SummaryCounts,
} from '../batch.ts';
import { failuresIn, takenIn } from '../row-outcomes.ts';
import { summaryIdFields, summaryIdsOf } from './summary-ids.ts';

const text = z.string().min(1).optional().catch(undefined);
const summaryFields = {
  ...summaryIdFields,
  success: z.boolean().nullish().catch(false),
  summary: reportedCounts,
  acceptedRows,
  successItems: acceptedRows,
  errors: rowErrors,
};

/**
 * The webhook's body. The specification does not show it (§6), so IDs, counts and rows are read at the top level and under `data`, by any
 * name that the specification uses elsewhere. A missing `total` is the sum of the other counts. Rows that are listed as accepted do not
 * add to it: their names settle them.
 */
export const finalSummary = z
  .looseObject({
    ...summaryFields,
    event: text,
    timestamp: z.union([z.string(), z.number()]).optional().catch(undefined),
    data: z.looseObject(summaryFields).optional().catch(undefined),
  })
  .transform(({ data, event, timestamp, ...body }) => {
    const places = data === undefined ? [body] : [body, data];
    return {
      ...summaryIdsOf({ ...body, data }),
      counts: places.flatMap(({ summary }): SummaryCounts[] => (summary ? [summary] : [])),
      isDenied: places.some(deniesSuccess),
      acceptedRows: places.flatMap((place) => [...place.acceptedRows, ...place.successItems]),
      errors: limitSize(places.flatMap((place) => place.errors)),
      event,
      timestamp,
    };
  })
  .refine(
    ({ counts, batchId, requestId }) => counts.length > 0 || (batchId ?? requestId) !== undefined,
    'neither a summary nor an id of a batch',
  )
  .transform(({ counts, isDenied, ...body }) => {
    const summary = countsOf(mergedCounts(counts), countRows(body.errors));
    return { ...body, summary: isDenied ? { ...summary, total: 0 } : summary };
  });

function countsOf(counts: SummaryCounts, errorRows: number) {
  const { total, skipped, pending = 0 } = counts;
  const failed = failuresIn({ failed: skipped === undefined ? errorRows : 0, ...definedOf(counts) });
  return { total: total ?? (takenIn(counts) ?? 0) + failed + pending, failed, pending };
}

/** The number of rows that errors are about. A row may have several errors. */
function countRows(errors: readonly RowError[]): number {
  const rows = errors.map(({ rowIndex, id, sku, externalId, orderId, invoiceNumber }) =>
    JSON.stringify([rowIndex, id, sku, externalId, orderId, invoiceNumber]),
  );
  return new Set(rows).size;
}
