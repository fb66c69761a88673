import { z } from 'zod';

const text = z.string().nullish();
const number = z.number().nullish();
const flag = z.boolean().nullish();
const texts = z.array(z.string()).nullish();

/** Stock of one warehouse as the marketplace shows it (§2). */
const shownWarehouse = z.looseObject({ id: text, clientId: z.string(), stock: number, isActive: flag });

const shownVariant = z.looseObject({
  id: text,
  name: text,
  sku: text,
  isActive: flag,
  price: number,
  specialPrice: number,
  optionIndexes: z.array(z.number()).nullish(),
  photos: texts,
  stock: number,
  weight: number,
  warehouses: z.array(shownWarehouse).nullish(),
});

const shownOptionGroup = z.looseObject({
  /** From 1. */
  level: z.number(),
  name: z.string(),
  values: z.array(z.looseObject({ label: z.string() })),
});

/** A product as the marketplace answers it (§2). Only `id` is insisted on; fields the spec does not name are kept. */
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
  warehouses: z.array(shownWarehouse).nullish(),
  variants: z
    .looseObject({
      items: z.array(shownVariant).nullish(),
      optionGroups: z.array(shownOptionGroup).nullish(),
    })
    .nullish(),
});
export type Product = z.infer<typeof product>;
