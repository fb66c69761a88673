import * as z from 'zod';
import { bulkCall, type Call } from './call.ts';
import { priceItem, stockItem } from './offer-rows.ts';

const priceUpdate = z.strictObject({ items: z.array(priceItem).min(1) });
const stockUpdate = z.strictObject({ items: z.array(stockItem).min(1) });

/** The bulk updates of prices and stock. */
export function offerCallsOver(call: Call) {
  return {
    /** §4.8, ASYNC. Row error: PRD_016. */
    updatePrices: bulkCall(call, {
      method: 'PATCH',
      path: '/partner/stores/products/prices',
      body: priceUpdate,
    }),

    /** §4.9, ASYNC. Row errors: INV_001, INV_002. */
    updateStocks: bulkCall(call, { method: 'PATCH', path: '/partner/stores/inventory', body: stockUpdate }),
  };
}
