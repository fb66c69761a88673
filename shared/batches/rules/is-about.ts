import type { RejectedRow } from '../model.ts';

/** What a row may be told apart by. */
type RowNames = Pick<RejectedRow, 'rowIndex' | 'externalId' | 'sku' | 'id'>;

/** Whether a row is the one that is told of: by its position, or, where that does not come with it, by its product. */
export function isAbout({ rowIndex, externalId, sku, id }: RowNames, row: RowNames): boolean {
  if (rowIndex !== undefined) return rowIndex === row.rowIndex;
  if (externalId !== undefined) return externalId === row.externalId;
  if (sku !== undefined) return sku === row.sku;
  return id !== undefined && id === row.id;
}
