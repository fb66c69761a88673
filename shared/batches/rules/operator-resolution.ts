import { z } from 'zod';
import { ConnectorError } from '../../errors/connector-error.ts';
import type { BatchRecord } from '../model.ts';
import { openRowNumbers } from './batch-record.ts';
import type { ReadBackOutcome } from './read-back.ts';

export const rowOutcomeSchema = z.enum(['accepted', 'rejected']);
export type RowOutcome = z.infer<typeof rowOutcomeSchema>;

/** An operator's outcome for the unknown rows of a batch. */
export interface OperatorResolution {
  readonly rows: readonly { readonly rowIndex: number; readonly outcome: RowOutcome }[];
  /** Outcome of all other unknown rows. Required unless `rows` names every unknown row. */
  readonly rest?: RowOutcome | undefined;
}

/** Most rows that an error names. */
const ROWS_IN_ERROR = 20;

/**
 * The outcome of each unknown row of a batch, by `rowIndex`.
 *
 * @throws ConnectorError `ROW_NOT_UNKNOWN` for a row that is not unknown; `ROWS_NOT_NAMED` when an unknown row has no
 * outcome
 */
export function outcomesOf(
  batch: BatchRecord,
  { rows, rest }: OperatorResolution,
): Map<number, ReadBackOutcome> {
  const open = new Set(openRowNumbers(batch));
  const notOpen = rows.map(({ rowIndex }) => rowIndex).filter((rowIndex) => !open.has(rowIndex));
  if (notOpen.length > 0) throw rowsError('ROW_NOT_UNKNOWN', 'the outcome of these rows is known', notOpen);
  const given = new Map(rows.map(({ rowIndex, outcome }) => [rowIndex, outcome]));
  const unnamed = [...open].filter((rowIndex) => !given.has(rowIndex));
  if (unnamed.length > 0 && rest === undefined)
    throw rowsError('ROWS_NOT_NAMED', 'name these unknown rows too, or give `rest`', unnamed);
  return new Map(
    [...open].map((rowIndex) => [
      rowIndex,
      (given.get(rowIndex) ?? rest) === 'accepted' ? 'done' : 'not done',
    ]),
  );
}

function rowsError(code: string, rule: string, rows: readonly number[]): ConnectorError {
  const listed = rows.slice(0, ROWS_IN_ERROR).join(', ');
  const more = rows.length > ROWS_IN_ERROR ? ` and ${rows.length - ROWS_IN_ERROR} more` : '';
  return new ConnectorError(`body.rows: ${rule}: ${listed}${more}`, { code });
}
