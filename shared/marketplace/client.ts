import { iterateBrands, searchBrands } from './brands.ts';
import { type Call, createCall } from './call.ts';
import { syncCatalog, syncVariantCatalog } from './catalog.ts';
import {
  type DocumentKeeper,
  generateInvoice,
  generateShippingLabel,
  type InvoiceRequest,
  type LabelRequest,
} from './documents.ts';
import { updateStocks } from './inventory.ts';
import type { CallOptions, MarketplaceClientOptions } from './options.ts';
import { orderCallsOver } from './orders.ts';
import { updatePrices } from './prices.ts';
import { createProducts, createVariantProducts, deleteProducts, updateProduct } from './product-changes.ts';
import { getProduct, getProductBySku, iterateProducts, listProducts } from './products.ts';
import type { StoreCredentials } from './request.ts';
import { createOnboardSession, unbindStore } from './stores.ts';
import { createWarehouse, listWarehouses } from './warehouses.ts';

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

/** The same over a mechanism that is there already. */
export function clientOver(call: Call) {
  return {
    createOnboardSession: createOnboardSession.bind(null, call),
    unbindStore: unbindStore.bind(null, call),
    syncCatalog: syncCatalog.bind(null, call),
    syncVariantCatalog: syncVariantCatalog.bind(null, call),
    createProducts: createProducts.bind(null, call),
    createVariantProducts: createVariantProducts.bind(null, call),
    updateProduct: updateProduct.bind(null, call),
    updatePrices: updatePrices.bind(null, call),
    updateStocks: updateStocks.bind(null, call),
    deleteProducts: deleteProducts.bind(null, call),
    listProducts: listProducts.bind(null, call),
    iterateProducts: iterateProducts.bind(null, call),
    getProduct: getProduct.bind(null, call),
    getProductBySku: getProductBySku.bind(null, call),
    createWarehouse: createWarehouse.bind(null, call),
    listWarehouses: listWarehouses.bind(null, call),
    ...orderCallsOver(call),
    generateShippingLabel: <Kept>(
      store: StoreCredentials,
      request: LabelRequest,
      keep: DocumentKeeper<Kept>,
      callOptions?: CallOptions,
    ) => generateShippingLabel(call, store, request, keep, callOptions),
    generateInvoice: <Kept>(
      store: StoreCredentials,
      request: InvoiceRequest,
      keep: DocumentKeeper<Kept>,
      callOptions?: CallOptions,
    ) => generateInvoice(call, store, request, keep, callOptions),
    searchBrands: searchBrands.bind(null, call),
    iterateBrands: iterateBrands.bind(null, call),
  };
}

export type MarketplaceClient = Readonly<ReturnType<typeof clientOver>>;
