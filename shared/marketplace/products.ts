import * as z from 'zod';
import { envelope, json } from './answers.ts';
import type { Call } from './call.ts';
import { answerList } from './fields.ts';
import type { CallOptions } from './options.ts';
import { product, productReadOver } from './product.ts';
import type { StoreCredentials } from './request.ts';

/** More pages than any catalog has. Ends the iteration if the server always announces a next page. */
const MAX_PAGES = 100_000;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
}

/**
 * Yields the items of all pages, with one page in memory at a time. An empty page is the last one, even if it announces a next page.
 *
 * @param first number of the first page.
 */
export async function* pagesOf<Item>(
  first: number,
  fetchPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let page = first; page < first + MAX_PAGES; page++) {
    const { items, hasNext } = await fetchPage(page);
    yield* items;
    if (!hasNext || items.length === 0) return;
  }
}

/** Query of §4.11. The specification does not list the values of `sortBy` and `order`. */
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

export const productPage = envelope(answerList(product)).extend({
  pagination: z.looseObject({
    page: z.number(),
    limit: z.number(),
    total: z.number(),
    totalPages: z.number(),
    hasNext: z.boolean(),
    hasPrev: z.boolean(),
  }),
});

/** The calls that read a store's products. */
export function productReadsOver(call: Call) {
  /** Reads one page (§4.11). */
  const listProducts = (store: StoreCredentials, query: ProductQuery = {}, options?: CallOptions) =>
    call(
      {
        method: 'GET',
        path: '/partner/stores/products',
        as: store,
        query: { schema: productQuery, value: query },
      },
      json(productPage),
      options,
    );

  return {
    listProducts,

    /** Yields all products, page by page from `query.page` on (§4.11). */
    iterateProducts: (store: StoreCredentials, query: ProductQuery = {}, options?: CallOptions) =>
      pagesOf(query.page ?? 1, async (page) => {
        const { data, pagination } = await listProducts(store, { ...query, page }, options);
        return { items: data, hasNext: pagination.hasNext };
      }),

    ...productReadOver(call),
  };
}
