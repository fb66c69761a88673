import { negativeFigureFault } from '../../changes/rules/fault-in-store.ts';
import { readVersion } from '../../changes/rules/read-changes.ts';
import { readPriceItem, readStockItem } from '../../changes/rules/read-items.ts';
import { misspelledName } from '../../collections/misspelled-name.ts';
import { isObject } from '../../collections/parse-json.ts';
import { inputErrors } from '../../errors/input-errors.ts';
import { versionSchema } from '../../events/incoming.ts';
import { nameOfTarget, targetOf } from '../../listings/rules/target.ts';
import { shapeOf } from '../../products/model.ts';
import { checkProduct } from '../../products/rules/check-product.ts';
import { isIdentifier } from '../../rejections/rules/bounded.ts';
import { type CommandFault, rowFault } from '../../requests/rules/rejection.ts';
import type { Store, StoreNames } from '../../stores/model.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import type { EpochMs } from '../../time/times.ts';
import type { RowValue } from '../file/row.ts';
import type { FileVersion } from '../model.ts';
import { spreadsheetFault, textFault } from './cells.ts';
import type { FileKindName } from './file-kinds.ts';

/** The file that a row is in. */
export interface RowContext {
  readonly kind: FileKindName;
  /** How the store names its products. */
  readonly names: StoreNames;
  readonly negativeStock?: Store['negativeStock'];
  /** When the file was put. A row without a version has this time as its version. */
  readonly time: EpochMs;
}

/** A row that can be sent. */
export interface CheckedRow {
  /** The row without its version. */
  readonly row: RowValue;
  /** Absent in catalogs. */
  readonly version?: FileVersion | undefined;
  /** Rows of one message have the same group. */
  readonly group: string;
}

/** Checks a row by the rules of the event that will carry it. The same row of the same file always gives the same result. */
export function checkRow(
  value: RowValue,
  context: RowContext,
): CheckedRow | { readonly fault: CommandFault } {
  return context.kind === 'catalog' ? checkCatalogRow(value) : checkChange(value, context);
}

function checkCatalogRow(row: RowValue): CheckedRow | { fault: CommandFault } {
  const fault = checkProduct(row) ?? programTextFault(row) ?? nameFaultOf(row) ?? specialPriceFault(row);
  return fault ? { fault } : { row, group: shapeOf(row) };
}

function checkChange(value: RowValue, context: RowContext): CheckedRow | { fault: CommandFault } {
  const { occurredAt, version, ...row } = value;
  const { kind, names, negativeStock, time } = context;
  const misspelled = misspelledName(value, VERSION_FIELDS);
  if (misspelled !== undefined)
    return { fault: broken(misspelled.given, 'FIELD_MISSPELLED', `must be written ${misspelled.meant}`) };
  const item = kind === 'stock' ? readStockItem(row) : readPriceItem(row);
  if (!item.ok) return { fault: item.fault() };
  const negative = negativeFigureFault(item.negative, { negativeStock });
  if (negative) return { fault: negative };
  const unlikely = unlikelyFault(row);
  if (unlikely) return { fault: unlikely };
  const expected = kind === 'stock' ? names.products : priceNameOf(names);
  const misnamed = nameFault('products', expected, nameOfTarget(item.target));
  if (misnamed) return { fault: misnamed };
  const given = versionSchema.safeParse({ occurredAt, version }, { error: inputErrors });
  if (!given.success) return { fault: rowFault(given.error.issues) };
  const read = readVersion(given.data, time, time);
  return 'fault' in read ? read : { row, version: read, group: `${read.kind} ${read.value}` };
}

const VERSION_FIELDS = Object.keys(versionSchema.shape);

const TEXTS = [
  ['sku', spreadsheetFault],
  ['name', textFault],
  ['description', textFault],
  ['condition', textFault],
] as const;

/**
 * The fault of a text that a program has put in place of a value. Rows of JSON can have such texts too: a report of rejected rows is
 * JSON.
 */
function programTextFault(row: RowValue): CommandFault | undefined {
  for (const [field, faultOf] of TEXTS) {
    const text = row[field];
    const why = typeof text === 'string' ? faultOf(text.trim()) : undefined;
    if (why !== undefined) return broken(field, 'PROGRAM_TEXT', why);
  }
  const { items } = isObject(row.variants) ? row.variants : {};
  for (const [index, item] of Array.isArray(items) ? items.entries() : []) {
    const why =
      isObject(item) && typeof item.sku === 'string' ? spreadsheetFault(item.sku.trim()) : undefined;
    if (why !== undefined) return broken(`variants.items.${index}.sku`, 'PROGRAM_TEXT', why);
  }
  return undefined;
}

function nameFaultOf({ name }: RowValue): CommandFault | undefined {
  if (typeof name === 'string' && name.trim() !== '') return undefined;
  return broken('name', 'NAME_REQUIRED', 'must be given');
}

/** The fault of a value that the API allows, but that a file can only have by mistake. */
export function unlikelyFault(row: RowValue): CommandFault | undefined {
  return programTextFault(row) ?? specialPriceFault(row);
}

/** A special price that gives a product away, or makes it dearer, is a mistake of the file. */
function specialPriceFault({ price, specialPrice }: RowValue): CommandFault | undefined {
  if (specialPrice === 0) return broken('specialPrice', 'SPECIAL_PRICE_ZERO', 'must be above 0, or null');
  if (typeof price !== 'number' || typeof specialPrice !== 'number' || specialPrice <= price)
    return undefined;
  return broken('specialPrice', 'SPECIAL_PRICE_ABOVE', `must not be above the price, ${price}`);
}

function broken(field: string, rule: string, what: string): CommandFault {
  const problem = { field, rule, message: what };
  return { code: 'ROW_INVALID', message: `${field}: ${what}`, field, details: { problems: [problem] } };
}

/** The listing that an invalid row of stock names, by the kind of name that its store uses; `undefined` if the row names none. */
export function namedTarget(value: RowValue | undefined, { products }: StoreNames): string | undefined {
  const name = value?.[products];
  return isIdentifier(name) ? targetOf({ [products]: name }) : undefined;
}
