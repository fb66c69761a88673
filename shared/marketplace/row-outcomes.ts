import { definedOf } from '../collections/defined-of.ts';
import { isRowRetryable, type SummaryCounts } from './batch.ts';

/** The fields that name a row, the most specific first: variants share the id and externalId of their product. */
const NAMES = ['sku', 'id', 'externalId', 'orderId', 'invoiceNumber'] as const;

/** The names of a row of a bulk request (§2, §4.17). */
export type RowNames = { readonly [Name in (typeof NAMES)[number]]?: string | undefined };

/** The names of a row, without its other fields. */
export function namesOf(row: RowNames): RowNames {
  return definedOf(Object.fromEntries(NAMES.map((name) => [name, row[name]])));
}

const NO_NAMES: RowNames = Object.fromEntries(NAMES.map((name) => [name, undefined]));

/** A reference to a row in an answer or a final summary: the row's position in the request, from 0, its names, or both. */
export interface RowReference extends RowNames {
  readonly rowIndex?: number | undefined;
}

/** An answer's or a final summary's report on the rows of a request. */
export interface RowReport<Failure> {
  /** Whether the marketplace calls the request successful. If `false`, a row that the report does not name may have failed. */
  readonly success?: boolean | undefined;
  readonly summary: SummaryCounts;
  readonly acceptedRows: readonly RowReference[];
  readonly errors: readonly Failure[];
}

/**
 * - `accepted`: the report names the row as accepted, or names all failed rows without this one;
 * - `pending`: as `accepted`, but the report counts pending rows, and this row may be one of them;
 * - `rejected`: an error names the row. Of several errors, one that is not retryable decides, if there is one;
 * - `unknown`: the report does not settle the row.
 */
export type ReportedRow<Failure> =
  | { readonly outcome: 'accepted' | 'pending' | 'unknown' }
  | { readonly outcome: 'rejected'; readonly error: Failure };

type RowError = RowReference & Parameters<typeof isRowRetryable>[0];

/**
 * The outcome of each sent row, in order, by an answer or a final summary.
 *
 * A row that the report does not name is unknown if the report denies success, if some failures name no row (but see
 * `matchByCount`), or if fewer rows are counted than were sent. The count is `total`; without it, the sum of accepted, failed and pending
 * rows. A report that neither counts nor names accepted rows is read as if it counted all rows. An answer that tells nothing about its
 * rows has `total: 0` (`batch.ts`). Rows are unknown too if an error's position and its name belong to different rows. A position beyond
 * the request is ignored. IDs are compared in lower case. `lanes/rules/read-outcome.ts` says what follows each outcome.
 *
 * @param sent the names of each row of the request; `{}` if only its position is known
 */
export function rowOutcomes<Failure extends RowError>(
  sent: readonly RowNames[],
  { success, summary, acceptedRows, errors }: RowReport<Failure>,
): ReportedRow<Failure>[] {
  const byName = indexNames(sent);
  const { rejected, unclear, unnamed } = matchFailures(sent, errors, byName);
  const accepted = new Set(
    acceptedRows.flatMap((reference) => {
      const rows = rowsOf(reference, sent.length, byName);
      return rows.length === 1 ? rows : [];
    }),
  );
  const isNamed = (row: number) => rejected.has(row) || unclear.rows.has(row) || accepted.has(row);

  const open = [...sent.keys()].filter((row) => !isNamed(row));
  const left = matchByCount(sent, open, unnamed, rejected);
  const failures = rejected.size + unclear.failures;
  const { pending = 0 } = summary;
  const taken = takenIn(summary);
  const listed = acceptedRows.length === 0 ? sent.length : [...sent.keys()].filter(isNamed).length + pending;
  const counted = summary.total ?? (taken === undefined ? listed : taken + failures + pending);
  const isSettled =
    success !== false && left === 0 && failuresIn(summary) <= failures && counted >= sent.length;

  return sent.map((_, row): ReportedRow<Failure> => {
    const error = rejected.get(row);
    if (error !== undefined) return { outcome: 'rejected', error };
    if (unclear.rows.has(row)) return { outcome: 'unknown' };
    if (accepted.has(row)) return { outcome: 'accepted' };
    if (!isSettled) return { outcome: 'unknown' };
    return { outcome: pending > 0 ? 'pending' : 'accepted' };
  });
}

/** The number of failed rows by the counts: the counted failures, or `total` minus accepted and pending rows if that is more. */
export function failuresIn(counts: SummaryCounts): number {
  const { total, failed = 0, skipped = 0, pending = 0 } = counts;
  const taken = takenIn(counts);
  const rest = total === undefined || taken === undefined ? 0 : total - taken - pending;
  return Math.max(failed + skipped, rest);
}

/** The number of accepted rows by the counts. If two counts differ, the lower one, so that no rejected row counts as accepted. */
export function takenIn({ accepted, succeeded }: SummaryCounts): number | undefined {
  if (accepted === undefined || succeeded === undefined) return accepted ?? succeeded;
  return Math.min(accepted, succeeded);
}

type RowsByName = ReadonlyMap<string, readonly number[]>;

function indexNames(sent: readonly RowNames[]): RowsByName {
  const rows = new Map<string, number[]>();
  for (const [row, names] of sent.entries()) {
    for (const key of keysOf(names)) rows.set(key, [...(rows.get(key) ?? []), row]);
  }
  return rows;
}

function keysOf(names: RowNames): string[] {
  return NAMES.flatMap((name) => {
    const value = names[name];
    if (value === undefined || value === '') return [];
    return [`${name}:${name === 'sku' || name === 'invoiceNumber' ? value : value.toLowerCase()}`];
  });
}

/** The rows that a reference may mean: several if it contradicts itself or rows share its name. */
function rowsOf(reference: RowReference, sent: number, byName: RowsByName): readonly number[] {
  const { rowIndex = sent } = reference;
  const named = keysOf(reference).flatMap((key) => {
    const rows = byName.get(key);
    return rows === undefined ? [] : [rows];
  });
  const [first = []] = named;
  if (rowIndex >= sent) return first;
  return named.length === 0 || named.some((rows) => rows.includes(rowIndex))
    ? [rowIndex]
    : [rowIndex, ...first];
}

function matchFailures<Failure extends RowError>(
  sent: readonly RowNames[],
  errors: readonly Failure[],
  byName: RowsByName,
) {
  const rejected = new Map<number, Failure>();
  const unclear = { rows: new Set<number>(), failures: 0 };
  const unnamed: Failure[] = [];
  for (const error of errors) {
    const rows = rowsOf(error, sent.length, byName);
    const [row] = rows;
    if (row === undefined) unnamed.push(error);
    else if (rows.length === 1) rejected.set(row, decisive(rejected.get(row) ?? error, error));
    else {
      for (const one of rows) unclear.rows.add(one);
      unclear.failures += 1;
    }
  }
  return { rejected, unclear, unnamed };
}

/** Of two errors about a row the later one decides. If only the earlier one is not retryable, the earlier one decides. */
function decisive<Failure extends RowError>(earlier: Failure, later: Failure): Failure {
  return isRowRetryable(later) && !isRowRetryable(earlier) ? earlier : later;
}

/**
 * Matches failures whose names no sent row has, such as the order IDs of dropoffs that were sent by invoice number. If as many names
 * failed as rows are open, each open row failed; which error belongs to which row is not known.
 *
 * @returns the number of failures that match no row
 */
function matchByCount<Failure extends RowError>(
  sent: readonly RowNames[],
  open: readonly number[],
  unnamed: readonly Failure[],
  rejected: Map<number, Failure>,
): number {
  const hasOtherNames = (failure: Failure) =>
    failure.rowIndex === undefined &&
    keysOf(failure).length > 0 &&
    NAMES.every(
      (name) => failure[name] === undefined || open.every((row) => sent[row]?.[name] === undefined),
    );
  const named = new Set(unnamed.map((failure) => keysOf(failure).join('\n')));
  if (unnamed.length === 0 || named.size !== open.length || !unnamed.every(hasOtherNames))
    return unnamed.length;
  const error = unnamed.reduce(decisive);
  for (const row of open) rejected.set(row, open.length === 1 ? error : { ...error, ...NO_NAMES });
  return 0;
}
