import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Product } from '../model.ts';

/** How the text of a cell is parsed. */
type ColumnType = 'text' | 'number' | 'boolean' | 'list' | 'warehouses';

/**
 * The columns of a `.csv` catalog. A header is the path of a field of §4.3, which says whether it is required. An empty
 * cell omits the field.
 */
export const csvColumns: ReadonlyMap<string, ColumnType> = new Map([
  ['externalId', 'text'],
  ['name', 'text'],
  // May span lines when quoted.
  ['description', 'text'],
  ['sku', 'text'],
  ['price', 'number'],
  // `null` clears it, as in the API.
  ['specialPrice', 'number'],
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

/** Most characters of a cell that a fault quotes. */
const MAX_QUOTED = 100;

export const columnNames: readonly string[] = [...csvColumns.keys()];

/** Headers that name no column. */
export function unknownColumns(headers: readonly string[]): string[] {
  return headers.filter((header) => !csvColumns.has(header));
}

/** Parses a row's cells as a product. The fault names the first cell that is not of its column's type. */
export function productOfCells(
  header: readonly string[],
  cells: readonly string[],
): { product: Product } | { fault: CommandFault } {
  const product: Record<string, unknown> = {};
  for (const [index, cell] of cells.entries()) {
    const name = header[index] ?? '';
    const type = csvColumns.get(name);
    const trimmed = cell.trim();
    if (type === undefined || trimmed === '') continue;
    const value = name === 'specialPrice' && trimmed === 'null' ? null : readCell(type, trimmed);
    if (value === undefined) {
      const message = `${JSON.stringify(cell.slice(0, MAX_QUOTED))} is not ${EXPECTED[type]}`;
      return { fault: { code: 'CELL_INVALID', message, field: name } };
    }
    setField(product, name, value);
  }
  return { product };
}

const EXPECTED: Readonly<Record<ColumnType, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list separated by |',
  warehouses: 'a list of clientId:stock separated by |',
};

/** The cell's value; `undefined` if it is not of the column's type. */
function readCell(type: ColumnType, cell: string): unknown {
  switch (type) {
    case 'text':
      return cell;
    case 'number':
      return readNumber(cell);
    case 'boolean':
      return { true: true, false: false }[cell.toLowerCase()];
    case 'list':
      return splitList(cell);
    case 'warehouses':
      return readWarehouses(cell);
  }
}

function readNumber(cell: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : undefined;
}

function readWarehouses(cell: string): unknown {
  const entries = splitList(cell).map((entry) => {
    const at = entry.lastIndexOf(':');
    return { clientId: entry.slice(0, at).trim(), stock: readNumber(entry.slice(at + 1).trim()) };
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
function setField(product: Record<string, unknown>, field: string, value: unknown): void {
  const [outer, inner] = field.split('.') as [string, string?];
  if (inner === undefined) product[outer] = value;
  else product[outer] = { ...(product[outer] as object | undefined), [inner]: value };
}
