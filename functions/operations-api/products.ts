import { z } from 'zod';
import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { uuid } from '../../shared/marketplace/fields.ts';
import { productAnswer, productPage } from '../../shared/marketplace/products.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import { forStore } from './for-store.ts';
import { inTime } from './in-time.ts';
import { type Route, route } from './route.ts';
import { storePath } from './stores.ts';

export interface ProductRoutesPorts extends ForConnectedStorePorts {
  readonly marketplace: Pick<MarketplaceClient, 'listProducts' | 'getProduct' | 'getProductBySku'>;
  /** Products per page where the caller does not say. */
  readonly pageSize: number;
}

const PRODUCTS = '/stores/{storeClientId}/products';

const flag = z.stringbool().optional();
const text = z.string().min(1).max(200).optional();
const count = z.coerce.number().int().min(1);

const listQuery = z.strictObject({
  q: text,
  isArchived: flag,
  isAvailableStock: flag,
  isVerified: flag,
  isVariantActive: flag,
  sortBy: text,
  order: text,
  page: count.optional(),
  limit: count.max(1000).optional(),
});

/** A store's products as they are at the marketplace, answered with its own envelope. */
export function productRoutes(ports: ProductRoutesPorts): Route[] {
  const { marketplace, pageSize } = ports;
  return [
    route(
      `GET ${PRODUCTS}`,
      {
        summary: 'Lists the products of a store, a page at a time (§4.11)',
        path: storePath,
        query: listQuery,
        answers: { 200: productPage },
      },
      async ({ path: { storeClientId }, query }) => {
        const asked = { limit: pageSize, ...given(query) };
        const body = await forStore(ports, storeClientId, (store) =>
          marketplace.listProducts(store, asked, inTime()),
        );
        return { status: 200, body };
      },
    ),

    route(
      `GET ${PRODUCTS}/by-sku`,
      {
        summary: 'The product that has a SKU, its own or a variant’s (§4.13)',
        path: storePath,
        query: z.strictObject({ sku: z.string().min(1).max(500) }),
        answers: { 200: productAnswer },
      },
      async ({ path: { storeClientId }, query: { sku } }) => {
        const body = await forStore(ports, storeClientId, (store) =>
          marketplace.getProductBySku(store, { sku }, inTime()),
        );
        return { status: 200, body };
      },
    ),

    route(
      `GET ${PRODUCTS}/{productId}`,
      {
        summary: 'A product with its variants and the stock of its warehouses (§4.12)',
        path: storePath.extend({ productId: uuid }),
        query: listQuery.pick({ isVariantActive: true }),
        answers: { 200: productAnswer },
      },
      async ({ path: { storeClientId, productId }, query }) => {
        const body = await forStore(ports, storeClientId, (store) =>
          marketplace.getProduct(store, { productId, ...given(query) }, inTime()),
        );
        return { status: 200, body };
      },
    ),
  ];
}

/** The parameters that the caller gave. */
function given<Query extends object>(
  query: Query,
): Partial<{ [Name in keyof Query]: NonNullable<Query[Name]> }> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof Query]: NonNullable<Query[Name]>;
  }>;
}
