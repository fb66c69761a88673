import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { RowValue } from '../file/row.ts';

/** How the text of a cell is parsed. */
interface CellType {
  readonly expected: string;
  /** The cell's value; `undefined` if it is not of this type. */
  readonly read: (cell: string) => unknown;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const cellTypes = {
  text: { expected: 'a text', read: (cell) => cell },
  number: { expected: 'a number', read: readNumber },
  numberOrNull: {
    expected: 'a number or null',
    read: (cell) => (cell === 'null' ? null : readNumber(cell)),
  },
  boolean: { expected: 'true or false', read: (cell) => booleans.get(cell.toLowerCase()) },
  list: { expected: 'a list separated by |', read: splitList },
  warehouses: { expected: 'a list of clientId:stock separated by |', read: readWarehouses },
  // `clientId` alone where the column `stock` has the stock of all of them.
  warehouseStock: {
    expected: 'a list of clientId:stock, or of clientId, separated by |',
    read: (cell) => (cell.includes(':') ? readWarehouses(cell) : splitList(cell)),
  },
  time: {
    expected: 'a time in ISO 8601 or epoch milliseconds',
    read: (cell) => readNumber(cell) ?? cell,
  },
} as const satisfies Record<string, CellType>;
type ColumnType = keyof typeof cellTypes;

/** The columns of a kind of file. */
export type Columns = ReadonlyMap<string, ColumnType>;

/**
 * The columns of a `.csv` catalog. A header is the path of a field of §4.3, which says whether it is required. An empty
 * cell omits the field.
 */
const catalogColumns: Columns = new Map([
  ['externalId', 'text'],
  ['name', 'text'],
  // May span lines when quoted.
  ['description', 'text'],
  ['sku', 'text'],
  ['price', 'number'],
  // `null` clears it, as in the API.
  ['specialPrice', 'numberOrNull'],
  // Not together with warehouses.
  ['stock', 'number'],
  ['weight', 'number'],
  ['dimensions.length', 'number'],
  ['dimensions.width', 'number'],
  ['dimensions.height', 'number'],
  ['minOrder', 'number'],
  ['categoryId', 'text'],
  ['subCategoryId', 'text'],
  ['typeId', 'text'],
  ['brandId', 'text'],
  // Separated by |, as are photos.
  ['hashtags', 'list'],
  ['condition', 'text'],
  ['photos', 'list'],
  ['isPreorder', 'boolean'],
  ['preorderPeriod', 'number'],
  ['isArchived', 'boolean'],
  ['insuranceRequired', 'boolean'],
  ['codEnabled', 'boolean'],
  // Stock of each: clientId:stock, separated by |, such as wh-1:5|wh-2:7.
  ['warehouses', 'warehouses'],
]);

/** How a row of stock or prices names its product, exactly one of them. */
const nameColumns = [
  ['sku', 'text'],
  ['id', 'text'],
  ['externalId', 'text'],
] as const;

/** The version of a row, one of them at most. Default: when the file was put. */
const versionColumns = [
  ['occurredAt', 'time'],
  ['version', 'number'],
] as const;

/** The columns of a `.csv` file of stock: an item of `stock.changed`, with its version. */
const stockColumns: Columns = new Map<string, ColumnType>([
  ...nameColumns,
  ['stock', 'number'],
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

/** Most characters of a cell that a fault quotes. */
const MAX_QUOTED = 100;

/** Parses a row's cells. The fault names the first cell that is not of its column's type; the row has its text. */
export function valueOfCells(
  columns: Columns,
  header: readonly string[],
  cells: readonly string[],
): { value: RowValue; fault?: CommandFault } {
  const row: Record<string, unknown> = {};
  let fault: CommandFault | undefined;
  for (const [index, cell] of cells.entries()) {
    const name = header[index] ?? '';
    const type = columns.get(name);
    const trimmed = cell.trim();
    if (type === undefined || trimmed === '') continue;
    const value = cellTypes[type].read(trimmed);
    if (value === undefined) {
      const message = `${JSON.stringify(cell.slice(0, MAX_QUOTED))} is not ${cellTypes[type].expected}`;
      fault ??= { code: 'CELL_INVALID', message, field: name };
    }
    setField(row, name, value === undefined ? trimmed : value);
  }
  return fault ? { value: row, fault } : { value: row };
}

function readNumber(cell: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : undefined;
}

function readWarehouses(cell: string): unknown {
  const entries = splitList(cell).map((entry) => {
    const at = entry.lastIndexOf(':');
    return {
      clientId: entry.slice(0, Math.max(0, at)).trim(),
      stock: readNumber(entry.slice(at + 1).trim()),
    };
  });
  const valid = entries.every(({ clientId, stock }) => clientId !== '' && stock !== undefined);
  return valid ? entries : undefined;
}

function splitList(cell: string): string[] {
  return cell
    .split('|')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
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

/** A kind of file: its rows and the event that they are sent in. */
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
