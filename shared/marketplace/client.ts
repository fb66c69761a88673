import { brandCallsOver } from './brands.ts';
import { type Call, createCall } from './call.ts';
import { documentCallsOver } from './documents.ts';
import { offerCallsOver } from './offers.ts';
import type { MarketplaceClientOptions } from './options.ts';
import { orderCallsOver } from './orders.ts';
import { productChangesOver } from './product-changes.ts';
import { productReadsOver } from './products.ts';
import { storeCallsOver } from './stores.ts';
import { warehouseCallsOver } from './warehouses.ts';

/**
 * Makes the client of the Partner Marketplace API: one function per endpoint, all over one mechanism that validates,
 * serializes once, signs each attempt afresh and reads the answer.
 *
 * @example
 * const client = createMarketplaceClient({ baseUrl, partnerClientId, secretKey, transport, clock: Date });
 * await client.updateStocks({ storeClientId, storeToken }, { items: [{ sku: 'A-1', stock: 5 }] });
 */
export function createMarketplaceClient(options: MarketplaceClientOptions): MarketplaceClient {
  return clientOver(createCall(options));
}

/** The same over a mechanism that is there already. A function that needs few endpoints takes theirs alone. */
export function clientOver(call: Call) {
  return {
    ...storeCallsOver(call),
    ...productChangesOver(call),
    ...productReadsOver(call),
    ...offerCallsOver(call),
    ...warehouseCallsOver(call),
    ...orderCallsOver(call),
    ...documentCallsOver(call),
    ...brandCallsOver(call),
  };
}

export type MarketplaceClient = Readonly<ReturnType<typeof clientOver>>;
