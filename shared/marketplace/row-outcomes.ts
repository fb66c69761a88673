import { isRowRetryable, type SummaryCounts } from './batch.ts';

/** What a row is named by, the most specific name first: variants share the names of their product. */
const NAMES = ['sku', 'id', 'externalId', 'orderId', 'invoiceNumber'] as const;

/** What a row of a bulk request is named by (§2, §4.17). */
export type RowNames = { readonly [Name in (typeof NAMES)[number]]?: string | undefined };

const NO_NAMES: RowNames = Object.fromEntries(NAMES.map((name) => [name, undefined]));

/** How an answer or a final summary names a row: by its position in the request, from 0, by a name, or by both. */
export interface RowReference extends RowNames {
  readonly rowIndex?: number | undefined;
}

/** What an answer or a final summary says of the rows of a request. */
export interface RowReport<Failure> {
  readonly summary: SummaryCounts;
  readonly acceptedRows: readonly RowReference[];
  readonly errors: readonly Failure[];
}

/**
 * - `accepted`: it is named as accepted, or everything that failed is named and it is not among it;
 * - `pending`: as `accepted`, but some rows are called pending, and this one may be among them;
 * - `rejected`: an error is about it; `retryable` where each error about it says so;
 * - `unknown`: the report does not settle it.
 */
export type ReportedRow<Failure> =
  | { readonly outcome: 'accepted' | 'pending' | 'unknown' }
  | { readonly outcome: 'rejected'; readonly error: Failure; readonly retryable: boolean };

type RowError = RowReference & { readonly details?: Record<string, unknown> | undefined };

/**
 * The outcome of each row that was sent, in their order, by what an answer or a final summary says.
 *
 * A row is unknown where the report does not settle it: failures are counted, or listed, that name no row, and nothing
 * else names this one; fewer rows are counted than were sent; a number and a name of one failure are of two rows. A
 * number beyond the request names nothing. Names are compared in lower case where they are IDs.
 *
 * @param sent what each row of the request is named by; `{}` where only its position is known
 */
export function rowOutcomes<Failure extends RowError>(
  sent: readonly RowNames[],
  { summary, acceptedRows, errors }: RowReport<Failure>,
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
  const left = matchForeign(sent, open, unnamed, rejected);
  const failures = rejected.size + unclear.failures;
  const isSettled =
    left === 0 && failuresIn(summary) <= failures && (summary.total ?? sent.length) >= sent.length;
  const isPending = (summary.pending ?? 0) > 0;

  return sent.map((_, row): ReportedRow<Failure> => {
    const failed = rejected.get(row);
    if (failed !== undefined) {
      return { outcome: 'rejected', error: failed.error, retryable: failed.retryable };
    }
    if (unclear.rows.has(row)) return { outcome: 'unknown' };
    if (accepted.has(row)) return { outcome: 'accepted' };
    if (!isSettled) return { outcome: 'unknown' };
    return { outcome: isPending ? 'pending' : 'accepted' };
  });
}

/** Rows that failed by the counts: each that is neither accepted nor pending, where these are counted. */
export function failuresIn({
  total,
  failed,
  skipped,
  accepted,
  succeeded,
  pending = 0,
}: SummaryCounts): number {
  const taken = accepted ?? succeeded;
  const rest = total === undefined || taken === undefined ? 0 : total - taken - pending;
  return Math.max(0, failed ?? skipped ?? 0, rest);
}

type RowsByName = ReadonlyMap<string, readonly number[]>;

interface Rejection<Failure> {
  readonly error: Failure;
  readonly retryable: boolean;
}

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

/** The rows that a reference may be about: one, several where it contradicts itself or its name is of several, or none. */
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
  const rejected = new Map<number, Rejection<Failure>>();
  const unclear = { rows: new Set<number>(), failures: 0 };
  const unnamed: Failure[] = [];
  for (const error of errors) {
    const rows = rowsOf(error, sent.length, byName);
    const [row] = rows;
    if (row === undefined) unnamed.push(error);
    else if (rows.length === 1) {
      const retryable = isRowRetryable(error) && rejected.get(row)?.retryable !== false;
      rejected.set(row, { error, retryable });
    } else {
      for (const one of rows) unclear.rows.add(one);
      unclear.failures += 1;
    }
  }
  return { rejected, unclear, unnamed };
}

/**
 * Failures that are named in a way in which no row was sent, such as dropoffs by invoice number whose answer names
 * orders by ID: which is which stays open, but not that each open row failed where there are as many failures.
 *
 * @returns how many failures are of no row
 */
function matchForeign<Failure extends RowError>(
  sent: readonly RowNames[],
  open: readonly number[],
  unnamed: readonly Failure[],
  rejected: Map<number, Rejection<Failure>>,
): number {
  const isForeign = (failure: Failure) =>
    failure.rowIndex === undefined &&
    keysOf(failure).length > 0 &&
    NAMES.every(
      (name) => failure[name] === undefined || open.every((row) => sent[row]?.[name] === undefined),
    );
  const [first] = unnamed;
  if (first === undefined || unnamed.length !== open.length || !unnamed.every(isForeign))
    return unnamed.length;
  const error = open.length === 1 ? first : { ...first, ...NO_NAMES };
  const retryable = unnamed.every(isRowRetryable);
  for (const row of open) rejected.set(row, { error, retryable });
  return 0;
}
