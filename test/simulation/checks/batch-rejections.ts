import type { BatchRecord } from '../../../shared/batches/model.ts';
import { rejectionsToReport } from '../../../shared/batches/rules/announcements.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import type { Simulation } from '../engine/simulation.ts';

/** After quiescence: the Rejections table has the rejected rows of each batch, and no other ones of it. */
export function checkBatchRejections(
  simulation: Simulation,
  batches: Iterable<BatchRecord>,
  rejections: Iterable<Rejection>,
): void {
  const stored = Map.groupBy(rejections, ({ batchId }) => batchId);
  for (const batch of batches) {
    if (batch.submission === undefined || batch.state === 'submitted') continue;
    const found = textOf(stored.get(batch.batchId) ?? []);
    const expected = textOf(rejectionsToReport(batch));
    if (found !== expected)
      simulation.violate(`P3: the rejections of ${batch.batchId} are [${found}], not [${expected}]`);
  }
}

function textOf(rows: readonly { readonly rowIndex?: number | undefined; readonly code: string }[]): string {
  return rows
    .map(({ rowIndex, code }) => `${rowIndex} ${code}`)
    .sort()
    .join(', ');
}

/** Rejections of rows, commands and events that were in no batch. */
export function unbatched(rejections: ReadonlyMap<string, Rejection>): Rejection[] {
  return [...rejections.values()].filter(({ batchId }) => batchId === undefined);
}
