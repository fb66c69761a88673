import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { isObject } from '../../collections/parse-json.ts';
import type { BatchKind, BatchRecord, RejectedRow, Resolution } from '../model.ts';
import { type BatchFacts, openRowNumbers } from './batch-record.ts';

/** A row of an open batch that nothing has settled. */
export interface OpenRow {
  readonly rowIndex: number;
  /** Of a product that is updated or deleted. */
  readonly id?: string | undefined;
  readonly externalId?: string | undefined;
  /** Its own, or that of one of its variants. */
  readonly sku?: string | undefined;
  /** What an update sets. */
  readonly changes?: Readonly<Record<string, unknown>> | undefined;
  /** Of an update: the row as it was archived. */
  readonly sent?: unknown;
}

/** What reading one row back showed: whether what the row was to do is done. */
export type ReadBackOutcome = 'done' | 'not done' | 'unknown';

/** Code of a row whose product was not at the marketplace when it was read back at the deadline. */
export const NOT_FOUND_BY_READ_BACK = 'NOT_FOUND_BY_READ_BACK';

/** Why a row is rejected whose effect was not there, by the kind of its batch. */
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
 * The rows of an open batch that nothing has settled.
 *
 * @param sent the rows of the request, as they were sent; empty where they are not kept any more.
 */
export function openRowsOf(batch: BatchFacts, sent: readonly unknown[]): OpenRow[] {
  return openRowNumbers(batch).map((rowIndex) => ({ rowIndex, ...identifiersOf(sent[rowIndex]) }));
}

/** Whether the product that has the row's SKU is the row's own. */
export function isProductOf(
  row: OpenRow,
  product: { readonly externalId?: string | null | undefined },
): boolean {
  const shown = product.externalId ?? row.externalId;
  return row.externalId === undefined || shown === row.externalId;
}

/**
 * Fields that a product may show otherwise than they were set: variants have fields of the marketplace's own, its
 * pictures may come from other addresses, and the sub-category is in no answer (§2).
 */
const NOT_COMPARABLE = new Set(['variants', 'photos', 'thumbnails', 'officialBanners', 'subCategoryId']);

/** Whether a product, as it is shown, has the values that an update was to set, as far as they can be compared. */
export function showsChanges(
  shown: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): ReadBackOutcome {
  const compared = Object.entries(changes)
    .filter(([field]) => !NOT_COMPARABLE.has(field) && shown[field] !== undefined)
    .map(([field, wanted]) => isShown(shown[field], wanted));
  if (compared.length === 0) return 'unknown';
  return compared.every((isEqual) => isEqual) ? 'done' : 'not done';
}

/** Objects may be shown with more fields than were set. */
function isShown(shown: unknown, wanted: unknown): boolean {
  if (!isObject(shown) || !isObject(wanted)) return isDeepStrictEqual(shown, wanted);
  return Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(shown[field], value));
}

/** The resolution of a batch by what was seen, or said, of its open rows; all others are unknown. */
export function resolutionOf(
  { rejectedRows, kind = 'catalog-sync' }: Pick<BatchRecord, 'rejectedRows' | 'kind'>,
  rows: readonly OpenRow[],
  sightings: ReadonlyMap<number, ReadBackOutcome>,
  { resolvedAt, by }: Pick<Resolution, 'resolvedAt' | 'by'>,
): Resolution {
  const seen = (row: OpenRow) => sightings.get(row.rowIndex) ?? 'unknown';
  const missed = rows.filter((row) => seen(row) === 'not done');
  const reason = by === 'operator' ? REJECTED_BY_OPERATOR : (NOT_DONE[kind] ?? NOT_CREATED);
  return {
    resolvedAt,
    ...definedOf({ by }),
    rejectedRows: [...rejectedRows, ...missed.map((row): RejectedRow => ({ ...namedRow(row), ...reason }))],
    unknownRows: rows.filter((row) => seen(row) === 'unknown').map(namedRow),
  };
}

/** The row as it is reported: its position and its identifiers. */
function namedRow({ rowIndex, id, externalId, sku }: OpenRow) {
  return { rowIndex, ...definedOf({ id, externalId, sku }) };
}

function identifiersOf(row: unknown): Omit<OpenRow, 'rowIndex'> {
  if (!isObject(row)) return {};
  const items = isObject(row.variants) && Array.isArray(row.variants.items) ? row.variants.items : [];
  const skus = [row, ...items].filter(isObject).map(({ sku }) => textOf(sku));
  return {
    id: textOf(row.id),
    externalId: textOf(row.externalId),
    sku: skus.find((sku) => sku !== undefined),
    ...(isObject(row.changes) && { changes: row.changes, sent: row }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
