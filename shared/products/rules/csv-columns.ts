import type { Product, RowFault } from '../model.ts';

/** How the text of a column becomes the value of a field. */
type ColumnType = 'text' | 'number' | 'boolean' | 'list' | 'warehouses';

export interface CsvColumn {
  /** Header of the column; a dot separates the levels of the field (`dimensions.length`). */
  readonly name: string;
  readonly type: ColumnType;
  /** The field of §4.3 that the column fills. */
  readonly field: string;
  readonly description: string;
}

/**
 * The columns of a `.csv` catalog, each optional as far as the spec's field is. An empty cell leaves its field out,
 * but in `specialPrice`, where `null` clears it, as in the API.
 */
export const CSV_COLUMNS: readonly CsvColumn[] = [
  text('externalId', 'your own identifier, a UUID'),
  text('name', 'name shown to buyers'),
  text('description', 'description shown to buyers; may span lines when quoted'),
  text('sku', 'stock keeping unit'),
  number('price', 'price'),
  number('specialPrice', 'lowered price; null for none'),
  number('stock', 'stock of the product; not together with warehouses'),
  number('weight', 'weight, a whole number'),
  number('dimensions.length', 'length'),
  number('dimensions.width', 'width'),
  number('dimensions.height', 'height'),
  number('minOrder', 'smallest quantity of one order'),
  text('categoryId', 'category, a UUID'),
  text('subCategoryId', 'subcategory, a UUID'),
  text('typeId', 'type, a UUID'),
  text('brandId', 'brand, a UUID'),
  { name: 'hashtags', type: 'list', field: 'hashtags', description: 'separated by |' },
  text('condition', 'condition, such as NEW'),
  { name: 'photos', type: 'list', field: 'photos', description: 'URLs separated by |' },
  boolean('isPreorder', 'whether it is made to order'),
  number('preorderPeriod', 'days of preorder; 0 for none'),
  boolean('isArchived', 'whether it is archived'),
  boolean('insuranceRequired', 'whether shipping must be insured'),
  boolean('codEnabled', 'whether cash on delivery is possible'),
  {
    name: 'warehouses',
    type: 'warehouses',
    field: 'warehouses',
    description: 'stock per warehouse, clientId:stock separated by |, such as wh-1:5|wh-2:7',
  },
];

/** Characters of a cell that a fault quotes. */
const MAX_QUOTED = 100;

const COLUMNS = new Map(CSV_COLUMNS.map((column) => [column.name, column]));

/** Headers that name no column of {@link CSV_COLUMNS}. */
export function unknownColumns(headers: readonly string[]): string[] {
  return headers.filter((header) => !COLUMNS.has(header));
}

/** Makes a product of a CSV record; the fault names the first cell that is not of its column's type. */
export function productOfRecord(
  record: Readonly<Record<string, string>>,
): { product: Product } | { fault: RowFault } {
  const product: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(record)) {
    const column = COLUMNS.get(name);
    const trimmed = cell.trim();
    if (column === undefined || trimmed === '') continue;
    const value = readCell(column, trimmed);
    if (value === undefined) {
      const message = `${JSON.stringify(cell.slice(0, MAX_QUOTED))} is not ${EXPECTED[column.type]}`;
      return { fault: { code: 'CELL_INVALID', message, field: name } };
    }
    place(product, column.field, value);
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

/** The cell's value; `undefined` when it is not of the column's type. */
function readCell({ name, type }: CsvColumn, cell: string): unknown {
  switch (type) {
    case 'text':
      return cell;
    case 'number':
      return name === 'specialPrice' && cell === 'null' ? null : readNumber(cell);
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

/** Puts the value at the field's path of at most two levels. */
function place(product: Record<string, unknown>, field: string, value: unknown): void {
  const [outer, inner] = field.split('.') as [string, string?];
  if (inner === undefined) product[outer] = value;
  else product[outer] = { ...(product[outer] as object | undefined), [inner]: value };
}

function text(name: string, description: string): CsvColumn {
  return { name, type: 'text', field: name, description };
}

function number(name: string, description: string): CsvColumn {
  return { name, type: 'number', field: name, description };
}

function boolean(name: string, description: string): CsvColumn {
  return { name, type: 'boolean', field: name, description };
}
