import { z } from 'zod';
import { bulkEndpoint } from './bulk-endpoint.ts';
import { identifier, stock, uuid, warehouseStock } from './fields.ts';
import { path } from './request.ts';
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

/** Updates stocks in bulk (§4.9, ASYNC). Row errors: INV_001, INV_002. */
export const updateStocks = bulkEndpoint({
  endpoint: 'updateStocks',
  method: 'PATCH',
  path: path`/partner/stores/inventory`,
  body: stockUpdate,
});
