import { z } from 'zod';
import { json } from './answers.ts';
import type { Call } from './call.ts';
import { envelope } from './envelope.ts';
import type { CallOptions } from './options.ts';
import { pagesOf } from './pages.ts';
import { type Product, product } from './product.ts';
import { path, type StoreCredentials } from './request.ts';

/** Query of §4.11. The values that `sortBy` and `order` take are not in the spec. */
const productQuery = z.strictObject({
  q: z.string().optional(),
  isArchived: z.boolean().optional(),
  isAvailableStock: z.boolean().optional(),
  isVerified: z.boolean().optional(),
  isVariantActive: z.boolean().optional(),
  sortBy: z.string().optional(),
  order: z.string().optional(),
  /** From 1. */
  page: z.int().positive().optional(),
  limit: z.int().positive().optional(),
});
export type ProductQuery = z.infer<typeof productQuery>;

export const productAnswer = envelope(product);
export type ProductAnswer = z.infer<typeof productAnswer>;

export const productPage = envelope(z.array(product)).extend({
  pagination: z.looseObject({
    page: z.number(),
    limit: z.number(),
    total: z.number(),
    totalPages: z.number(),
    hasNext: z.boolean(),
    hasPrev: z.boolean(),
  }),
});
export type ProductPage = z.infer<typeof productPage>;

/** Lists one page of a store's products (§4.11). */
export async function listProducts(
  call: Call,
  store: StoreCredentials,
  query: ProductQuery = {},
  options?: CallOptions,
): Promise<ProductPage> {
  return call(
    {
      endpoint: 'listProducts',
      method: 'GET',
      path: path`/partner/stores/products`,
      as: store,
      query: { schema: productQuery, value: query },
    },
    json(productPage),
    options,
  );
}

/** All of a store's products, page after page from `query.page` (§4.11). */
export function iterateProducts(
  call: Call,
  store: StoreCredentials,
  query: ProductQuery = {},
  options?: CallOptions,
): AsyncGenerator<Product, void, undefined> {
  return pagesOf(query.page ?? 1, async (page) => {
    const { data, pagination } = await listProducts(call, store, { ...query, page }, options);
    return { items: data, hasNext: pagination.hasNext };
  });
}

/** Fetches one product (§4.12). Error: PRD_014. */
export async function getProduct(
  call: Call,
  store: StoreCredentials,
  request: { readonly productId: string; readonly isVariantActive?: boolean | undefined },
  options?: CallOptions,
): Promise<ProductAnswer> {
  const { productId, isVariantActive } = request;
  return call(
    {
      endpoint: 'getProduct',
      method: 'GET',
      path: path`/partner/stores/products/${productId}`,
      as: store,
      query: { schema: productQuery.pick({ isVariantActive: true }), value: { isVariantActive } },
    },
    json(productAnswer),
    options,
  );
}

/** Fetches the product that has a SKU, its own or a variant's (§4.13). Error: PRD_014. */
export async function getProductBySku(
  call: Call,
  store: StoreCredentials,
  request: { readonly sku: string },
  options?: CallOptions,
): Promise<ProductAnswer> {
  return call(
    {
      endpoint: 'getProductBySku',
      method: 'GET',
      path: path`/partner/stores/products/sku/${request.sku}`,
      as: store,
    },
    json(productAnswer),
    options,
  );
}
