import * as z from 'zod';
import {
  exactlyOneOf,
  identifier,
  obeys,
  type Problem,
  price,
  stock,
  uuid,
  warehouseStock,
} from './fields.ts';

/**
 * A price item of §4.8. `sku` identifies a simple product or a variant, `id` a simple product only. A `specialPrice` of `null` removes
 * the special price.
 */
export const priceItem = z
  .strictObject({
    sku: identifier.optional(),
    id: uuid.optional(),
    price,
    specialPrice: price.nullable().optional(),
  })
  .check(obeys(exactlyOneOf(['sku', 'id'])));
export type PriceItem = z.infer<typeof priceItem>;

/** A stock item of §4.9: one target with its stock in one of three forms (see `stockForm`). */
export const stockItem = z
  .strictObject({
    sku: identifier.optional(),
    id: uuid.optional(),
    externalId: uuid.optional(),
    stock: stock.optional(),
    warehouses: z
      .array(z.union([identifier, warehouseStock], 'must be a clientId or {clientId, stock}'))
      .optional(),
  })
  .check(obeys(exactlyOneOf(['sku', 'id', 'externalId'])))
  .check(obeys(stockForm));
export type StockItem = z.infer<typeof stockItem>;

/**
 * The three forms of a stock item (§4.9): `stock` alone; `stock` with `warehouses` as clientIds; `warehouses` as
 * `{clientId, stock}` without `stock`.
 */
function stockForm({ stock, warehouses }: Pick<StockItem, 'stock' | 'warehouses'>): Problem[] {
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
