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

export const productAnswer = envelope(product);

/** Query of §4.12. */
const oneProductQuery = z.strictObject({ isVariantActive: z.boolean().optional() });

/** The calls that read one product of a store. */
export function productReadOver(call: Call) {
  return {
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
          query: { schema: oneProductQuery, value: { isVariantActive } },
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
