import { createHash } from 'node:crypto';
import type { FailedRow, FailedRowScope } from './failed-rows.ts';

/** What the schema of events takes. */
const MAX_COMMAND_ID = 200;

/**
 * ID of the command that tries failed rows of a batch again: the same for the same rows. A final summary may yet take
 * some of those that an unresolved batch gives, and no two commands of one ID may differ.
 */
export function retryIdOf(batchId: string, scope: FailedRowScope, rows: readonly FailedRow[]): string {
  const positions = rows.map(({ rejection }) => rejection.rowIndex).join();
  const digest = createHash('sha256').update(positions).digest('hex').slice(0, 16);
  return `retry/${scope}/${digest}/${batchId}`.slice(0, MAX_COMMAND_ID);
}
