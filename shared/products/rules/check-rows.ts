import { type CommandRow, MAX_PRODUCT_BYTES, type ProductShape, type RowFault, shapeOf } from '../model.ts';
import { checkProduct } from './check-product.ts';
import { jsonBytes } from './request-packer.ts';

export interface CheckedRows {
  readonly good: Readonly<Record<ProductShape, readonly CommandRow[]>>;
  readonly faulty: readonly { readonly row: CommandRow; readonly fault: RowFault }[];
}

/** Tells a command's good rows, by their shape, from those that break a rule. */
export function checkRows(products: readonly unknown[]): CheckedRows {
  const good: Record<ProductShape, CommandRow[]> = { simple: [], variants: [] };
  const faulty: { row: CommandRow; fault: RowFault }[] = [];
  for (const [index, value] of products.entries()) {
    const row = { index, product: isObject(value) ? value : {} };
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
