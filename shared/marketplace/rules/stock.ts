import type { Problem } from './problem.ts';

interface StockItem {
  readonly stock?: number | undefined;
  readonly warehouses?:
    | readonly (string | { readonly clientId: string; readonly stock: number })[]
    | undefined;
}

/**
 * The three forms of a stock item (§4.9): `stock` alone; `stock` with `warehouses` as clientIds; `warehouses` as
 * `{clientId, stock}` without `stock`.
 */
export function stockForm({ stock, warehouses }: StockItem): Problem[] {
  if (warehouses === undefined) {
    return stock === undefined
      ? [problem('stock', 'STOCK_REQUIRED', 'stock or warehouses must be given')]
      : [];
  }
  if (warehouses.length === 0) {
    return [problem('warehouses', 'WAREHOUSES_NOT_EMPTY', 'warehouses must name at least one when given')];
  }
  const withOwnStock = warehouses.filter((warehouse) => typeof warehouse === 'object').length;
  if (withOwnStock > 0 && withOwnStock < warehouses.length) {
    return [
      problem('warehouses', 'WAREHOUSES_ONE_FORM', 'warehouses must be all clientIds or all with a stock'),
    ];
  }
  if (withOwnStock > 0 && stock !== undefined) {
    return [problem('stock', 'STOCK_OR_WAREHOUSES', 'stock is not allowed when warehouses carry their own')];
  }
  if (withOwnStock === 0 && stock === undefined) {
    return [problem('stock', 'STOCK_REQUIRED', 'stock is required when warehouses are clientIds')];
  }
  return [];
}

function problem(field: string, rule: string, message: string): Problem {
  return { path: [field], rule, message };
}
