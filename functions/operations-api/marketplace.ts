import * as z from 'zod';
import { brandPage } from '../../shared/marketplace/brands.ts';
import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { uuid } from '../../shared/marketplace/fields.ts';
import { productAnswer, productPage } from '../../shared/marketplace/products.ts';
import { createdWarehouse, newWarehouse, warehouseList } from '../../shared/marketplace/warehouses.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import { forStore, routeDeadline, storePath } from './for-store.ts';
import { type Route, route, wholeNumber } from './route.ts';

export interface MarketplaceRoutesPorts extends ForConnectedStorePorts {
  readonly marketplace: Pick<
    MarketplaceClient,
    'listProducts' | 'getProduct' | 'getProductBySku' | 'listWarehouses' | 'createWarehouse' | 'searchBrands'
  >;
  /** Default products per page. */
  readonly pageSize: number;
}

const PRODUCTS = '/stores/{storeClientId}/products';
const WAREHOUSES = '/stores/{storeClientId}/warehouses';

const flag = z.stringbool().optional();
const text = z.string().min(1).max(200).optional();
const page = wholeNumber(z.int().min(1)).optional();
const limit = wholeNumber(z.int().min(1).max(1000)).optional();

const productQuery = z.strictObject({
  q: text,
  isArchived: flag,
  isAvailableStock: flag,
  isVerified: flag,
  isVariantActive: flag,
  sortBy: text,
  order: text,
  page,
  limit,
});

const brandQuery = z.strictObject({
  q: z.string().min(2).max(200).optional(),
  page,
  limit,
});

/** Synchronous reads of the marketplace, and the creation of warehouses, answered with the marketplace's own envelope. */
export function marketplaceRoutes(ports: MarketplaceRoutesPorts): Route[] {
  const { marketplace } = ports;
  return [
    ...productReads(ports),

    route(
      `GET ${WAREHOUSES}`,
      {
        summary: 'Lists the warehouses of a store (§4.15)',
        path: storePath,
        answers: { 200: warehouseList },
      },
      async ({ path }) => forStore(ports, path.storeClientId, marketplace.listWarehouses),
    ),

    route(
      `POST ${WAREHOUSES}`,
      {
        summary: 'Creates a warehouse (§4.14)',
        path: storePath,
        body: newWarehouse,
        answers: { 200: createdWarehouse },
      },
      async ({ path, body }) =>
        forStore(ports, path.storeClientId, (store, options) =>
          marketplace.createWarehouse(store, body, options),
        ),
    ),

    route(
      'GET /brands',
      { summary: 'Searches brand references (§4.20)', query: brandQuery, answers: { 200: brandPage } },
      async ({ query }) => marketplace.searchBrands(query, routeDeadline()),
    ),
  ];
}

function productReads(ports: MarketplaceRoutesPorts): Route[] {
  const { marketplace, pageSize } = ports;
  return [
    route(
      `GET ${PRODUCTS}`,
      {
        summary: 'Lists the products of a store, a page at a time (§4.11)',
        path: storePath,
        query: productQuery,
        answers: { 200: productPage },
      },
      async ({ path, query: { limit = pageSize, ...query } }) =>
        forStore(ports, path.storeClientId, (store, options) =>
          marketplace.listProducts(store, { limit, ...query }, options),
        ),
    ),

    route(
      `GET ${PRODUCTS}/by-sku`,
      {
        summary: 'A product by its own SKU or a variant’s (§4.13)',
        path: storePath,
        query: z.strictObject({ sku: z.string().min(1).max(500) }),
        answers: { 200: productAnswer },
      },
      async ({ path, query }) =>
        forStore(ports, path.storeClientId, (store, options) =>
          marketplace.getProductBySku(store, query, options),
        ),
    ),

    route(
      `GET ${PRODUCTS}/{productId}`,
      {
        summary: 'A product with its variants and the stock of its warehouses (§4.12)',
        path: storePath.extend({ productId: uuid }),
        query: productQuery.pick({ isVariantActive: true }),
        answers: { 200: productAnswer },
      },
      async ({ path, query }) =>
        forStore(ports, path.storeClientId, (store, options) =>
          marketplace.getProduct(store, { productId: path.productId, ...query }, options),
        ),
    ),
  ];
}
