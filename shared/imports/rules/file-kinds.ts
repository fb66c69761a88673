import { type Columns, catalogColumns, priceColumns, stockColumns } from './csv-columns.ts';

/** The kinds of file, by the first folder of their keys. */
export const fileKindNames = ['catalog', 'stock', 'prices'] as const;
export type FileKindName = (typeof fileKindNames)[number];

/** What the rows of a kind of file are. */
export interface FileKind {
  /** The event that rows are sent in. */
  readonly detailType: 'catalog.sync.requested' | 'stock.changed' | 'price.changed';
  /** Name of the array with the rows, in that event and in a `.json` file. */
  readonly member: 'products' | 'items';
  readonly columns: Columns;
}

export const fileKinds: Readonly<Record<FileKindName, FileKind>> = {
  catalog: { detailType: 'catalog.sync.requested', member: 'products', columns: catalogColumns },
  stock: { detailType: 'stock.changed', member: 'items', columns: stockColumns },
  prices: { detailType: 'price.changed', member: 'items', columns: priceColumns },
};
