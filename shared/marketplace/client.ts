import { brandCallsOver } from './brands.ts';
import { type Call, createCall } from './call.ts';
import { documentCallsOver } from './documents.ts';
import { offerCallsOver } from './offers.ts';
import type { MarketplaceClientOptions } from './options.ts';
import { orderCallsOver } from './orders.ts';
import { productChangesOver } from './product-changes.ts';
import { productReadsOver } from './products.ts';
import { API_PREFIX } from './signing.ts';
import { storeCallsOver } from './stores.ts';
import { warehouseCallsOver } from './warehouses.ts';

/**
 * Creates the client of the Partner Marketplace API: one function per endpoint. Each validates and serializes its request
 * once, signs every attempt afresh and reads the answer.
 *
 * @example
 * const client = createMarketplaceClient({ baseUrl, partnerClientId, secretKey, transport, clock: Date });
 * await client.updateStocks({ storeClientId, storeToken }, { items: [{ sku: 'A-1', stock: 5 }] });
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or ends in `/api/v1`
 */
export function createMarketplaceClient(options: MarketplaceClientOptions): MarketplaceClient {
  const { baseUrl } = options;
  if (!URL.canParse(baseUrl) || baseUrl.replace(/\/+$/, '').endsWith(API_PREFIX))
    throw new TypeError(`baseUrl must be a URL without ${API_PREFIX}, not "${baseUrl}"`);
  return clientOver(createCall(options));
}

/** All endpoints over an existing `call`. Code that needs few endpoints uses their own functions. */
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
