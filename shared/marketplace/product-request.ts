import { z } from 'zod';
import { identifier, price, stock, uuid, warehouseStock } from './fields.ts';
import { obeys } from './rules/problem.ts';
import { optionIndexesWithinGroups, stockOrWarehouses, variantRestrictions } from './rules/products.ts';

// The spec shows neither required fields nor lengths nor ranges of most values (§2, gaps). What it does not forbid is
// left for the marketplace to judge.

const urls = z.array(z.url()).optional();
const flag = z.boolean().optional();
const dimension = z.number();

/** Fields that simple products and products with variants have in common (§4.3, 4.4). */
const commonFields = {
  name: z.string().optional(),
  description: z.string().optional(),
  dimensions: z.strictObject({ length: dimension, width: dimension, height: dimension }).optional(),
  weight: z.int().optional(),
  minOrder: z.int().optional(),
  subCategoryId: uuid.optional(),
  categoryId: uuid.optional(),
  typeId: uuid.optional(),
  brandId: uuid.optional(),
  hashtags: z.array(z.string()).optional(),
  condition: z.string().optional(),
  photos: urls,
  officialBanners: urls,
  isPreorder: flag,
  preorderPeriod: z.int().optional(),
  isArchived: flag,
  insuranceRequired: flag,
  codEnabled: flag,
};

/** Fields of a simple product that a product with variants has on its variants instead. */
const offerFields = {
  sku: identifier.optional(),
  price: price.optional(),
  specialPrice: price.nullable().optional(),
  stock: stock.optional(),
  warehouses: z.array(warehouseStock).min(1).optional(),
};

/** The partner's own identifier. Insisted on: without it a creation sent twice would make two products (PRD_002). */
const externalId = uuid;

const variantItem = z
  .strictObject({
    price: price.optional(),
    stock: offerFields.stock,
    isDefault: flag,
    status: z.string().optional(),
    sku: offerFields.sku,
    weight: z.int().optional(),
    photos: urls,
    optionIndexes: z.array(z.int().nonnegative()).optional(),
    sortOrder: z.int().optional(),
    warehouses: offerFields.warehouses,
  })
  .superRefine(obeys(stockOrWarehouses));

const optionGroup = z.strictObject({
  /** From 1. */
  level: z.int().positive(),
  name: z.string(),
  values: z.array(z.strictObject({ label: z.string() })),
});

const variantsToCreate = z
  .strictObject({ items: z.array(variantItem).min(1), optionGroups: z.array(optionGroup).optional() })
  .superRefine(obeys(({ items, optionGroups = [] }) => optionIndexesWithinGroups(items, optionGroups)));

/** On update an empty list deactivates all variants, and option groups that are left out stay as they are (§3). */
const variantsToUpdate = z
  .strictObject({ items: z.array(variantItem).optional(), optionGroups: z.array(optionGroup).optional() })
  .superRefine(
    obeys(({ items = [], optionGroups }) =>
      optionGroups === undefined ? [] : optionIndexesWithinGroups(items, optionGroups),
    ),
  );

/** A simple product to create (§4.3, 4.5). */
export const simpleProduct = z
  .strictObject({ externalId, ...offerFields, ...commonFields })
  .superRefine(obeys(stockOrWarehouses));
export type SimpleProduct = z.infer<typeof simpleProduct>;

/** A product with variants to create (§4.4, 4.6): price, stock and sku are its items'. */
export const variantProduct = z.strictObject({ externalId, ...commonFields, variants: variantsToCreate });
export type VariantProduct = z.infer<typeof variantProduct>;

/** Any subset of a product's fields (§4.7). */
export const productChanges = z
  .strictObject({ ...offerFields, ...commonFields, thumbnails: urls, variants: variantsToUpdate.optional() })
  .superRefine(obeys(stockOrWarehouses))
  .superRefine(obeys((changes) => variantRestrictions(changes)));
export type ProductChanges = z.infer<typeof productChanges>;
