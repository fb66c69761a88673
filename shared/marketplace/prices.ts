import { z } from 'zod';
import { bulkEndpoint } from './bulk-endpoint.ts';
import { identifier, price, uuid } from './fields.ts';
import { path } from './request.ts';
import { exactlyOneOf } from './rules/identifiers.ts';
import { obeys } from './rules/problem.ts';

/** A price item of §4.8. `sku` names a simple product or a variant, `id` a simple product only; null clears. */
export const priceItem = z
  .strictObject({
    sku: identifier.optional(),
    id: uuid.optional(),
    price,
    specialPrice: price.nullable().optional(),
  })
  .superRefine(obeys(exactlyOneOf(['sku', 'id'])));
export type PriceItem = z.infer<typeof priceItem>;

/** Body of §4.8. */
const priceUpdate = z.strictObject({ items: z.array(priceItem).min(1) });

/** Updates prices in bulk (§4.8, ASYNC). Row error: PRD_016. */
export const updatePrices = bulkEndpoint({
  endpoint: 'updatePrices',
  method: 'PATCH',
  path: path`/partner/stores/products/prices`,
  body: priceUpdate,
});
