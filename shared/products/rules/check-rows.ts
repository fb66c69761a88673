import { isObject } from '../../collections/is-object.ts';
import { jsonBytes } from '../../collections/packer.ts';
import {
  type BulkCommand,
  type CommandRow,
  MAX_PRODUCT_BYTES,
  type ProductShape,
  type RowFault,
  shapeOf,
} from '../model.ts';
import { checkProduct } from './check-product.ts';

export interface CheckedRows {
  readonly good: Readonly<Record<ProductShape, readonly CommandRow[]>>;
  readonly faulty: readonly { readonly row: CommandRow; readonly fault: RowFault }[];
}

/** Tells the good rows of commands, by their shape and in order, from those that break a rule. */
export function checkRows(commands: readonly BulkCommand[]): CheckedRows {
  const good: Record<ProductShape, CommandRow[]> = { simple: [], variants: [] };
  const faulty: { row: CommandRow; fault: RowFault }[] = [];
  const values = commands.flatMap((command) =>
    command.products.map((value, index) => ({ command, index, value })),
  );
  for (const { value, ...place } of values) {
    const row = { ...place, product: isObject(value) ? value : {} };
    const fault = isObject(value) ? faultOf(value) : NOT_OBJECT;
    if (fault) faulty.push({ row, fault });
    else good[shapeOf(row.product)].push(row);
  }
  return { good, faulty };
}

const NOT_OBJECT: RowFault = { code: 'ROW_NOT_OBJECT', message: 'the row is not a JSON object' };

function faultOf(product: Record<string, unknown>): RowFault | undefined {
  if (jsonBytes(product) > MAX_PRODUCT_BYTES) {
    return { code: 'ROW_TOO_LARGE', message: `the row is larger than ${MAX_PRODUCT_BYTES} bytes` };
  }
  return checkProduct(product);
}
