import { z } from 'zod';
import { json } from './answers.ts';
import { type BatchAnswer, batchAnswer } from './batch.ts';
import type { Call } from './call.ts';
import { identifier, stock, uuid, warehouseStock } from './fields.ts';
import type { CallOptions } from './options.ts';
import { path, type StoreCredentials } from './request.ts';
import { exactlyOneOf } from './rules/identifiers.ts';
import { obeys } from './rules/problem.ts';
import { stockForm } from './rules/stock.ts';

/** A stock item of §4.9: one target, and its stock in one of three forms (see `stockForm`). */
export const stockItem = z
  .strictObject({
    sku: identifier.optional(),
    id: uuid.optional(),
    externalId: uuid.optional(),
    stock: stock.optional(),
    warehouses: z.array(z.union([identifier, warehouseStock])).optional(),
  })
  .superRefine(obeys(exactlyOneOf(['sku', 'id', 'externalId'])))
  .superRefine(obeys(stockForm));
export type StockItem = z.infer<typeof stockItem>;

/** Body of §4.9. */
const stockUpdate = z.strictObject({ items: z.array(stockItem).min(1) });
export type StockUpdate = z.infer<typeof stockUpdate>;

/** Updates stocks in bulk (§4.9, ASYNC). Row errors: INV_001, INV_002. */
export async function updateStocks(
  call: Call,
  store: StoreCredentials,
  update: StockUpdate,
  options?: CallOptions,
): Promise<BatchAnswer> {
  return call(
    {
      endpoint: 'updateStocks',
      method: 'PATCH',
      path: path`/partner/stores/inventory`,
      as: store,
      body: { schema: stockUpdate, value: update },
    },
    json(batchAnswer),
    options,
  );
}
