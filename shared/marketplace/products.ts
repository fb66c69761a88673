import * as z from 'zod';
import { envelope, json } from './answers.ts';
import type { Call } from './call.ts';
import { answerList } from './fields.ts';
import type { CallOptions } from './options.ts';
import { path, type StoreCredentials } from './request.ts';

const text = z.string().nullish();
const number = z.number().nullish();
const flag = z.boolean().nullish();
const texts = answerList(z.string()).nullish();

/** Stock of one warehouse in an answer (§2). */
const shownWarehouse = z.looseObject({ id: text, clientId: text, stock: number, isActive: flag });

const shownVariant = z.looseObject({
  id: text,
  name: text,
  sku: text,
  isActive: flag,
  price: number,
  specialPrice: number,
  optionIndexes: answerList(z.number()).nullish(),
  photos: texts,
  stock: number,
  weight: number,
  warehouses: answerList(shownWarehouse).nullish(),
});

const shownOptionGroup = z.looseObject({
  /** From 1. */
  level: z.number(),
  name: z.string(),
  values: answerList(z.looseObject({ label: z.string() })),
});

/** A product in an answer (§2). Only `id` is required. Unspecified fields are kept. */
export const product = z.looseObject({
  id: z.string(),
  externalId: text,
  name: text,
  description: text,
  sku: text,
  price: number,
  specialPrice: number,
  stock: number,
  weight: number,
  dimensions: z.looseObject({ length: number, width: number, height: number }).nullish(),
  minOrder: number,
  categoryId: text,
  subCategoryId: text,
  typeId: text,
  brandId: text,
  departmentId: text,
  hashtags: texts,
  condition: text,
  photos: texts,
  thumbnails: texts,
  officialBanners: texts,
  isPreorder: flag,
  preorderPeriod: number,
  isArchived: flag,
  insuranceRequired: flag,
  codEnabled: flag,
  isVerified: flag,
  hasVariant: flag,
  /** Only in the answer by SKU (§4.13): whether the SKU is a variant's. */
  matchedVariantSku: flag,
  warehouses: answerList(shownWarehouse).nullish(),
  variants: z
    .looseObject({
      items: answerList(shownVariant).nullish(),
      optionGroups: answerList(shownOptionGroup).nullish(),
    })
    .nullish(),
});
export type Product = z.infer<typeof product>;

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

export const productAnswer = envelope(product);

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

    /** Reads one product (§4.12). Error: PRD_014. */
    getProduct: async (
      store: StoreCredentials,
      { productId, isVariantActive }: { productId: string; isVariantActive?: boolean | undefined },
      options?: CallOptions,
    ) =>
      call(
        {
          method: 'GET',
          path: path`/partner/stores/products/${productId}`,
          as: store,
          query: { schema: productQuery.pick({ isVariantActive: true }), value: { isVariantActive } },
        },
        json(productAnswer),
        options,
      ),

    /** Reads a product by its own SKU or a variant's (§4.13). Error: PRD_014. */
    getProductBySku: async (
      store: StoreCredentials,
      { sku }: { readonly sku: string },
      options?: CallOptions,
    ) =>
      call(
        { method: 'GET', path: path`/partner/stores/products/sku/${sku}`, as: store },
        json(productAnswer),
        options,
      ),
  };
}
