import {
  MOST_RECONCILED,
  type ReconcileReport,
  type WantedDifference,
} from '../../shared/drift/rules/reconcile-report.ts';
import type { InvalidRow, WantedRow } from './wanted-rows.ts';

/** A value that is not live as a row wants it. */
export type RowDifference = { readonly line: number } & Readonly<WantedDifference>;

/** A row whose product was not compared. */
export type LeftRow = Pick<WantedRow, 'line' | 'target'>;

/** The rows of a file by how they compare with what is live. */
export interface Comparison {
  readonly equal: WantedRow[];
  /** One entry per value. */
  readonly differences: RowDifference[];
  /** The marketplace has no such product. */
  readonly missing: LeftRow[];
  unread: LeftRow[];
  readonly invalid: InvalidRow[];
  /** Items that the stack sent. */
  sent: number;
  /** What ended the comparison before its end. */
  failure?: unknown;
}

/** Compares at most `MOST_RECONCILED` items, as `POST /stores/{storeClientId}/reconcile` does. */
export type CompareItems = (items: readonly WantedRow['item'][]) => Promise<ReconcileReport>;

/**
 * Compares all rows, list by list. Rows that were not read in time are compared again, until not one row of a list is read. An
 * error leaves the rows from then on unread.
 *
 * @param onList called after each list with the number of rows that have their result
 */
export async function reconcileRows(
  rows: readonly WantedRow[],
  compare: CompareItems,
  onList: (done: number, comparison: Comparison) => void = () => {},
): Promise<Comparison> {
  const found: Comparison = { equal: [], differences: [], missing: [], unread: [], invalid: [], sent: 0 };
  let waiting = rows;
  while (waiting.length > 0) {
    const { list, rest } = nextList(waiting);
    const again: WantedRow[] = [];
    try {
      again.push(...addAnswer(found, list, await compare(list.map(({ item }) => item))));
    } catch (failure) {
      found.failure = failure;
      again.push(...list);
    }
    waiting = [...rest, ...again];
    if (again.length === list.length) break;
    onList(rows.length - waiting.length, found);
  }
  found.unread = waiting.map(leftRow);
  for (const part of [found.differences, found.missing, found.unread])
    part.sort((one, other) => one.line - other.line);
  return found;
}

/** The rows of the next call. It has one row per product, so that each result is that of one row. */
function nextList(rows: readonly WantedRow[]): { list: WantedRow[]; rest: WantedRow[] } {
  const list: WantedRow[] = [];
  const later: WantedRow[] = [];
  const targets = new Set<string>();
  let next = 0;
  for (; next < rows.length && list.length < MOST_RECONCILED; next += 1) {
    const row = rows[next] as WantedRow;
    if (row.target !== undefined && targets.has(row.target)) later.push(row);
    else list.push(row);
    if (row.target !== undefined) targets.add(row.target);
  }
  return { list, rest: [...later, ...rows.slice(next)] };
}

/** Adds the results of a list; returns its rows that were not read. */
function addAnswer(
  found: Comparison,
  list: readonly WantedRow[],
  { differences, equal, missing, unread, invalid, sent }: ReconcileReport,
): WantedRow[] {
  const problems = new Map(invalid.map(({ index, ...problem }) => [index, problem]));
  const [isEqual, isMissing, isUnread] = [new Set(equal), new Set(missing), new Set(unread)];
  found.sent += sent;
  return list.filter((row, index) => {
    const { line, target = '' } = row;
    const problem = problems.get(index);
    if (problem !== undefined) found.invalid.push({ ...leftRow(row), ...problem });
    else if (isUnread.has(target)) return true;
    else if (isEqual.has(target)) found.equal.push(row);
    else if (isMissing.has(target)) found.missing.push(leftRow(row));
    else
      found.differences.push(
        ...differences.filter((one) => one.target === target).map((one) => ({ line, ...one })),
      );
    return false;
  });
}

function leftRow({ line, target }: WantedRow): LeftRow {
  return { line, ...(target !== undefined && { target }) };
}
