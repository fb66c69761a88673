import { createHash } from 'node:crypto';
import { isObject } from '../../collections/parse-json.ts';
import type { BatchRecord, RejectedRow } from '../model.ts';

/** Field of a given-back row that says why it failed; an import leaves it out. */
export const REJECTION_FIELD = '_rejection';

/** Code of a row whose product was not at the marketplace when it was read back at the deadline. */
export const NOT_FOUND_BY_READ_BACK = 'NOT_FOUND_BY_READ_BACK';

/** Code of a row whose outcome is not known. */
const UNKNOWN_OUTCOME = 'UNKNOWN_OUTCOME';

/** Which failed rows: those that may succeed as they are, or all of them. */
export type FailedRowScope = 'retryable' | 'failed';

/** A row that did not come to be, with the reason. */
export interface FailedRow {
  readonly row: Readonly<Record<string, unknown>>;
  readonly rejection: Pick<RejectedRow, 'rowIndex' | 'code' | 'message' | 'details' | 'command'>;
}

/**
 * The rows of an ended batch that failed, in the order in which they were sent. Rows of unknown outcome count as
 * failed and retryable: a creation that is repeated finds what exists (PRD_002).
 *
 * @param sent the rows of the request, as they were sent.
 */
export function failedRowsOf(
  { rejectedRows, unknownRows = [] }: Pick<BatchRecord, 'rejectedRows' | 'unknownRows'>,
  sent: readonly unknown[],
  scope: FailedRowScope = 'failed',
): FailedRow[] {
  const unknown = unknownRows.map(
    (row): RejectedRow => ({ ...row, code: UNKNOWN_OUTCOME, message: 'the outcome of the row is not known' }),
  );
  return [...rejectedRows, ...unknown]
    .filter((row) => scope === 'failed' || isRetryable(row))
    .flatMap((rejection) => {
      const { rowIndex = -1 } = rejection;
      const row = sent[rowIndex];
      if (!isObject(row)) return [];
      const { code, message, details, command } = rejection;
      const reason = { rowIndex, code, message, ...(details && { details }), ...(command && { command }) };
      return [{ row, rejection: reason }];
    })
    .sort((a, b) => a.rejection.rowIndex - b.rejection.rowIndex);
}

function isRetryable({ code, details }: RejectedRow): boolean {
  return details?.retryable === true || code === NOT_FOUND_BY_READ_BACK || code === UNKNOWN_OUTCOME;
}

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
