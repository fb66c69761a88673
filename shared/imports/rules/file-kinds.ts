import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Notation } from '../../stores/notation.ts';
import type { RowValue } from '../file/row.ts';
import { type Cell, type ColumnType, readCell } from './cells.ts';

/** The columns of a kind of file. */
export type Columns = ReadonlyMap<string, ColumnType>;

/**
 * The columns of a `.csv` catalog. A header is the path of a field of §4.3; that section says which fields are required. An empty cell
 * omits the field.
 */
const catalogColumns: Columns = new Map([
  ['externalId', 'id'],
  ['name', 'text'],
  // May span lines when quoted.
  ['description', 'text'],
  ['sku', 'sku'],
  ['price', 'number'],
  // `null` clears it, as in the API.
  ['specialPrice', 'numberOrNull'],
  // Not together with warehouses.
  ['stock', 'whole'],
  ['weight', 'whole'],
  ['dimensions.length', 'number'],
  ['dimensions.width', 'number'],
  ['dimensions.height', 'number'],
  ['minOrder', 'whole'],
  ['categoryId', 'id'],
  ['subCategoryId', 'id'],
  ['typeId', 'id'],
  ['brandId', 'id'],
  // Separated by commas, or by |, as are photos.
  ['hashtags', 'tags'],
  ['condition', 'text'],
  ['photos', 'list'],
  ['isPreorder', 'boolean'],
  ['preorderPeriod', 'whole'],
  ['isArchived', 'boolean'],
  ['insuranceRequired', 'boolean'],
  ['codEnabled', 'boolean'],
  // Stock of each warehouse, clientId:stock, separated by |, such as wh-1:5|wh-2:7.
  ['warehouses', 'warehouses'],
]);

/** How a row of stock or prices names its product: by exactly one of these columns. */
const nameColumns = [
  ['sku', 'sku'],
  ['id', 'id'],
  ['externalId', 'id'],
] as const;

/** The version of a row: in at most one of these columns. Default: the time when the file was put. */
const versionColumns = [
  ['occurredAt', 'time'],
  ['version', 'whole'],
] as const;

/** If a file has a column of versions, each row needs a version: a row without one would be newer than all others. */
const oneFilled = versionColumns.map(([name]) => name);

/** The columns of a `.csv` file of stock: an item of `stock.changed`, with its version. */
const stockColumns: Columns = new Map<string, ColumnType>([
  ...nameColumns,
  ['stock', 'stock'],
  ['warehouses', 'warehouseStock'],
  ...versionColumns,
]);

/** The columns of a `.csv` file of prices: an item of `price.changed`, with its version. */
const priceColumns: Columns = new Map<string, ColumnType>([
  ...nameColumns,
  ['price', 'number'],
  ['specialPrice', 'numberOrNull'],
  ...versionColumns,
]);

export interface CellsReading {
  readonly value: RowValue;
  /** The fault of the first cell that is not of its column's type. The row then has the cell's text. */
  readonly fault?: CommandFault | undefined;
  /** The first column with a cell that only a file with decimal commas can have. */
  readonly signOfComma?: string | undefined;
}

/** How the cells of a file are read. */
export interface CellLayout extends Pick<FileKind, 'columns' | 'filled' | 'oneFilled'> {
  /** How numbers are written. Default: decimals have a dot, and an ambiguous number is rejected. */
  readonly notation?: Notation | undefined;
}

/** Parses a row's cells. */
export function valueOfCells(
  { columns, filled, oneFilled = [], notation }: CellLayout,
  header: readonly string[],
  cells: readonly Cell[],
): CellsReading {
  const row: Record<string, unknown> = {};
  let fault: CommandFault | undefined;
  let signOfComma: string | undefined;
  for (const [index, name] of header.entries()) {
    const [cell, type] = [cells[index], columns.get(name)];
    const read = cell && type && readCell(type, cell, notation);
    if (read === undefined && filled?.has(name)) {
      fault ??= emptyFault(name);
      row[name] = '';
    }
    if (read === undefined) continue;
    if ('fault' in read) {
      fault ??= { ...read.fault, field: name };
      if (read.isSignOfComma && type?.startsWith('number')) signOfComma ??= name;
    }
    setField(row, name, 'fault' in read ? cell?.text.trim() : read.value);
  }
  const empty = oneFilled.find((name) => header.includes(name));
  if (empty !== undefined && oneFilled.every((name) => row[name] === undefined)) {
    fault ??= emptyFault(empty);
    row[empty] = '';
  }
  return { value: row, fault, signOfComma };
}

/** A report has the field as an empty text. Without the field, the row would be accepted when the report is put as a file. */
function emptyFault(name: string): CommandFault {
  return { code: 'CELL_EMPTY', message: `${name} is empty`, field: name };
}

/** Sets the field at a path of at most two levels. */
function setField(row: Record<string, unknown>, field: string, value: unknown): void {
  const [outer, inner] = field.split('.') as [string, string?];
  if (inner === undefined) row[outer] = value;
  else row[outer] = { ...(row[outer] as object | undefined), [inner]: value };
}

/** The kinds of file, by the first folder of their keys. */
export const fileKindNames = ['catalog', 'stock', 'prices'] as const;
export type FileKindName = (typeof fileKindNames)[number];

/** A kind of file: its rows, and the event that carries them. */
export interface FileKind {
  /** The event that carries the rows. */
  readonly detailType: 'catalog.sync.requested' | 'stock.changed' | 'price.changed';
  /** Name of the array with the rows, in the event and in a `.json` file. */
  readonly member: 'products' | 'items';
  /** Other members of the event. They must not be beside the array of a `.json` file, where they would be ignored. */
  readonly notBeside: ReadonlySet<string>;
  readonly columns: Columns;
  /** Columns that a `.csv` file may leave out, but whose cells may not be empty. */
  readonly filled?: ReadonlySet<string>;
  /** Columns that a `.csv` file may leave out. If the file has any of them, each row must fill one. */
  readonly oneFilled?: readonly string[];
}

const ofChanges: ReadonlySet<string> = new Set(['storeClientId', 'occurredAt', 'version']);

export const fileKinds: Readonly<Record<FileKindName, FileKind>> = {
  catalog: {
    detailType: 'catalog.sync.requested',
    member: 'products',
    notBeside: new Set(['storeClientId', 'commandId']),
    columns: catalogColumns,
    // A product without a price may be shown at 0.
    filled: new Set(['name', 'price']),
  },
  stock: {
    detailType: 'stock.changed',
    member: 'items',
    notBeside: ofChanges,
    columns: stockColumns,
    oneFilled,
  },
  prices: {
    detailType: 'price.changed',
    member: 'items',
    notBeside: ofChanges,
    columns: priceColumns,
    oneFilled,
  },
};
