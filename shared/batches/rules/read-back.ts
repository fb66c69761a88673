import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { definedOf } from '../../collections/defined-of.ts';
import { isObject } from '../../collections/parse-json.ts';
import { ConnectorError } from '../../errors/connector-error.ts';
import { uuid } from '../../marketplace/fields.ts';
import { type BatchKind, type BatchRecord, creationOf, type RejectedRow, type Resolution } from '../model.ts';
import { type BatchFacts, openRowNumbers } from './batch-record.ts';

/** Whether reading products (§4.11 – 4.13) may show the outcome of a batch's rows. No read shows when a stock or price was set. */
export function isReadBack(kind: BatchKind | undefined): boolean {
  return creationOf(kind) !== undefined || kind === 'product-update' || kind === 'product-deletion';
}

export interface OpenRow {
  readonly rowIndex: number;
  /** For an update or a deletion. */
  readonly id?: string | undefined;
  /** In lower case. */
  readonly externalId?: string | undefined;
  /** The product's SKU, or else the SKU of one of its variants. */
  readonly sku?: string | undefined;
  /** For an update: the fields that it sets. */
  readonly changes?: Readonly<Record<string, unknown>> | undefined;
}

export const knownOutcomeSchema = z.enum(['accepted', 'rejected']);
type KnownOutcome = z.infer<typeof knownOutcomeSchema>;

/** The outcome of a row as a read-back showed it, or as an operator knows it. `rejected`: the row had no effect. */
export type RowOutcome = KnownOutcome | 'unknown';

/** Code of a row whose product the read-back did not find at the marketplace. */
export const NOT_FOUND_BY_READ_BACK = 'NOT_FOUND_BY_READ_BACK';

/** Why a row without an effect is rejected, by the kind of its batch. Default: `NOT_CREATED`. */
const NOT_DONE: Partial<Record<BatchKind, { readonly code: string; readonly message: string }>> = {
  'product-update': {
    code: 'NOT_CHANGED_BY_READ_BACK',
    message: 'the product did not have these values when it was read back',
  },
  'product-deletion': {
    code: 'STILL_THERE_BY_READ_BACK',
    message: 'the product was still at the marketplace when it was read back',
  },
};
const REJECTED_BY_OPERATOR = {
  code: 'REJECTED_BY_OPERATOR',
  message: 'an operator resolved the row as rejected',
};
const NOT_CREATED = {
  code: NOT_FOUND_BY_READ_BACK,
  message: 'the product was not at the marketplace when it was read back',
};

/**
 * The unsettled rows of a batch.
 *
 * @param sent the rows of the request as sent; empty after the archive's retention.
 */
export function openRowsOf(batch: BatchFacts, sent: readonly unknown[]): OpenRow[] {
  return openRowNumbers(batch).map((rowIndex) => ({ rowIndex, ...identifiersOf(sent[rowIndex]) }));
}

/**
 * Whether the product that was found by the row's SKU is the row's product. Another product of the seller may have the same SKU, and
 * no externalId.
 */
export function isProductOf(
  row: OpenRow,
  product: { readonly externalId?: string | null | undefined },
): boolean {
  return row.externalId === undefined || product.externalId?.toLowerCase() === row.externalId;
}

/**
 * Fields that are not compared. The marketplace adds fields to variants and may move pictures to other addresses, so that the
 * read value may differ from the set value. No answer has the sub-category (§2).
 */
const NOT_COMPARABLE = new Set(['variants', 'photos', 'thumbnails', 'officialBanners', 'subCategoryId']);

/** Whether a product has the values that an update sets; `unknown` if none of them can be compared. */
export function showsChanges(
  shown: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): RowOutcome {
  const compared = Object.entries(changes)
    .filter(([field]) => !NOT_COMPARABLE.has(field) && shown[field] !== undefined)
    .map(([field, wanted]) => isShown(shown[field], wanted));
  if (compared.length === 0) return 'unknown';
  return compared.every((isEqual) => isEqual) ? 'accepted' : 'rejected';
}

/** The marketplace may add fields to an object, and write a UUID in another case. */
function isShown(shown: unknown, wanted: unknown): boolean {
  if (typeof shown === 'string' && uuid.safeParse(wanted).success)
    return shown.toLowerCase() === String(wanted).toLowerCase();
  if (shown === null) return isNothing(wanted);
  if (!isObject(shown) || !isObject(wanted)) return isDeepStrictEqual(shown, wanted);
  return Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(shown[field], value));
}

/** Whether a value may be shown as `null`. */
function isNothing(wanted: unknown): boolean {
  return (
    wanted === null || wanted === '' || wanted === false || (Array.isArray(wanted) && wanted.length === 0)
  );
}

/** The resolution of a batch by the outcomes of its open rows. A row without an outcome is unknown. */
export function resolutionOf(
  { rejectedRows, kind = 'catalog-sync' }: Pick<BatchRecord, 'rejectedRows' | 'kind'>,
  rows: readonly OpenRow[],
  outcomes: ReadonlyMap<number, RowOutcome>,
  { resolvedAt, by }: Pick<Resolution, 'resolvedAt' | 'by'>,
): Resolution {
  const seen = (row: OpenRow) => outcomes.get(row.rowIndex) ?? 'unknown';
  const missed = rows.filter((row) => seen(row) === 'rejected');
  const reason = by === 'operator' ? REJECTED_BY_OPERATOR : (NOT_DONE[kind] ?? NOT_CREATED);
  return {
    resolvedAt,
    ...definedOf({ by }),
    rejectedRows: [...rejectedRows, ...missed.map((row): RejectedRow => ({ ...namedRow(row), ...reason }))],
    unknownRows: rows.filter((row) => seen(row) === 'unknown').map(namedRow),
  };
}

function namedRow({ rowIndex, id, externalId, sku }: OpenRow) {
  return { rowIndex, ...definedOf({ id, externalId, sku }) };
}

function identifiersOf(row: unknown): Omit<OpenRow, 'rowIndex'> {
  if (!isObject(row)) return {};
  const items = isObject(row.variants) && Array.isArray(row.variants.items) ? row.variants.items : [];
  const skus = [row, ...items].filter(isObject).map(({ sku }) => textOf(sku));
  return {
    id: textOf(row.id),
    externalId: textOf(row.externalId)?.toLowerCase(),
    sku: skus.find((sku) => sku !== undefined),
    ...(isObject(row.changes) && { changes: row.changes }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An operator's outcome for the unknown rows of a batch. */
export interface OperatorResolution {
  readonly rows: readonly { readonly rowIndex: number; readonly outcome: KnownOutcome }[];
  /** Outcome of all other unknown rows. Required unless `rows` names every unknown row. */
  readonly rest?: KnownOutcome | undefined;
}

const ROWS_IN_ERROR = 20;

/**
 * The outcome of each unknown row of a batch, by `rowIndex`.
 *
 * @throws ConnectorError `ROW_NOT_UNKNOWN` for a row that is not unknown; `ROWS_NOT_NAMED` when an unknown row has no
 * outcome
 */
export function operatorOutcomes(
  batch: BatchRecord,
  { rows, rest }: OperatorResolution,
): Map<number, KnownOutcome> {
  const open = new Set(openRowNumbers(batch));
  const notOpen = rows.map(({ rowIndex }) => rowIndex).filter((rowIndex) => !open.has(rowIndex));
  if (notOpen.length > 0) throw rowsError('ROW_NOT_UNKNOWN', 'the outcome of these rows is known', notOpen);
  const outcomes = new Map(rows.map(({ rowIndex, outcome }) => [rowIndex, outcome]));
  const unnamed = [...open].filter((rowIndex) => !outcomes.has(rowIndex));
  for (const rowIndex of unnamed) {
    if (rest === undefined)
      throw rowsError('ROWS_NOT_NAMED', 'name these unknown rows too, or give `rest`', unnamed);
    outcomes.set(rowIndex, rest);
  }
  return outcomes;
}

function rowsError(code: string, rule: string, rows: readonly number[]): ConnectorError {
  const listed = rows.slice(0, ROWS_IN_ERROR).join(', ');
  const more = rows.length > ROWS_IN_ERROR ? ` and ${rows.length - ROWS_IN_ERROR} more` : '';
  return new ConnectorError(`body.rows: ${rule}: ${listed}${more}`, { code });
}
