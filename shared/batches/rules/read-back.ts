import { isObject } from '../../collections/is-object.ts';
import type { BatchRecord, RejectedRow, Resolution } from '../model.ts';
import { NOT_FOUND_BY_READ_BACK } from './failed-rows.ts';

/** A row of an open batch that neither answer nor summary told about. */
export interface OpenRow {
  readonly rowIndex: number;
  readonly externalId?: string | undefined;
  /** Its own, or that of one of its variants; without one it can not be read back. */
  readonly sku?: string | undefined;
}

/** What reading one row back showed. */
export type RowSighting = 'there' | 'absent' | 'unknown';

/** @param sent the rows of the request, as they were sent. */
export function openRowsOf(
  { rejectedRows }: Pick<BatchRecord, 'rejectedRows'>,
  sent: readonly unknown[],
): OpenRow[] {
  const known = new Set(rejectedRows.map(({ rowIndex }) => rowIndex));
  return sent
    .map((row, rowIndex) => ({ rowIndex, ...identifiersOf(row) }))
    .filter(({ rowIndex }) => !known.has(rowIndex));
}

/** Whether the product that has the row's SKU is the row's own. */
export function isProductOf(
  row: OpenRow,
  product: { readonly externalId?: string | null | undefined },
): boolean {
  const { externalId } = product;
  return externalId === undefined || externalId === null || row.externalId === undefined
    ? true
    : externalId === row.externalId;
}

/** The resolution of a batch by what was seen of its open rows; rows that nobody looked at are unknown. */
export function resolutionOf(
  { rejectedRows }: Pick<BatchRecord, 'rejectedRows'>,
  rows: readonly OpenRow[],
  sightings: ReadonlyMap<number, RowSighting>,
  resolvedAt: string,
): Resolution {
  const seen = (row: OpenRow) => sightings.get(row.rowIndex) ?? 'unknown';
  return {
    resolvedAt,
    rejectedRows: [...rejectedRows, ...rows.filter((row) => seen(row) === 'absent').map(absentRow)],
    unknownRows: rows.filter((row) => seen(row) === 'unknown').map(namedRow),
  };
}

function absentRow(row: OpenRow): RejectedRow {
  const message = 'the product was not at the marketplace when it was read back';
  return { ...namedRow(row), code: NOT_FOUND_BY_READ_BACK, message };
}

function namedRow({ rowIndex, externalId, sku }: OpenRow) {
  return { rowIndex, ...(externalId !== undefined && { externalId }), ...(sku !== undefined && { sku }) };
}

function identifiersOf(row: unknown): Omit<OpenRow, 'rowIndex'> {
  if (!isObject(row)) return {};
  const items = isObject(row.variants) && Array.isArray(row.variants.items) ? row.variants.items : [];
  const skus = [row, ...items].filter(isObject).map(({ sku }) => textOf(sku));
  return { externalId: textOf(row.externalId), sku: skus.find((sku) => sku !== undefined) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
