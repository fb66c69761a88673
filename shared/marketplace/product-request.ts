import { z } from 'zod';
import { identifier, price, stock, uuid, warehouseStock } from './fields.ts';
import { obeys } from './rules/problem.ts';
import {
  optionIndexesWithinGroups,
  optionLevels,
  stockOrWarehouses,
  variantRestrictions,
} from './rules/products.ts';
import { warehousesNamedOnce } from './rules/stock.ts';

const urls = z.array(z.url());
const weight = z.int().nonnegative();

/** Fields that simple products and products with variants have in common (§4.3, 4.4), all optional. */
const commonFields = {
  description: z.string().optional(),
  dimensions: z
    .strictObject({
      length: z.number().nonnegative(),
      width: z.number().nonnegative(),
      height: z.number().nonnegative(),
    })
    .optional(),
  weight: weight.optional(),
  minOrder: z.int().positive().optional(),
  subCategoryId: uuid.optional(),
  categoryId: uuid.optional(),
  typeId: uuid.optional(),
  brandId: uuid.optional(),
  hashtags: z.array(z.string()).optional(),
  condition: z.string().min(1).optional(),
  photos: urls.optional(),
  officialBanners: urls.optional(),
  isPreorder: z.boolean().optional(),
  preorderPeriod: z.int().nonnegative().optional(),
  isArchived: z.boolean().optional(),
  insuranceRequired: z.boolean().optional(),
  codEnabled: z.boolean().optional(),
};

const stockFields = {
  stock: stock.optional(),
  warehouses: z.array(warehouseStock).optional(),
};

const variantItem = z
  .strictObject({
    price,
    ...stockFields,
    isDefault: z.boolean().optional(),
    status: z.string().min(1).optional(),
    sku: identifier,
    weight: weight.optional(),
    photos: urls.optional(),
    optionIndexes: z.array(z.int().nonnegative()),
    sortOrder: z.int().optional(),
  })
  .superRefine(obeys(stockOrWarehouses))
  .superRefine(obeys(warehousesNamedOnce));

const optionGroup = z.strictObject({
  level: z.int().positive(),
  name: z.string().min(1),
  values: z.array(z.strictObject({ label: z.string().min(1) })).min(1),
});

const variantsToCreate = z
  .strictObject({ items: z.array(variantItem).min(1), optionGroups: z.array(optionGroup).min(1) })
  .superRefine(obeys(optionLevels))
  .superRefine(obeys(optionIndexesWithinGroups));

/** On update an empty list deactivates all variants, and option groups may stay as they are (§3). */
const variantsToUpdate = z
  .strictObject({ items: z.array(variantItem), optionGroups: z.array(optionGroup).optional() })
  .superRefine(obeys(optionLevels))
  .superRefine(obeys(optionIndexesWithinGroups));

/** A simple product to create (§4.3, 4.5). The spec shows no required fields: these are what makes a product. */
export const simpleProduct = z
  .strictObject({
    externalId: uuid,
    name: z.string().min(1),
    sku: identifier,
    price,
    specialPrice: price.nullable().optional(),
    ...stockFields,
    ...commonFields,
  })
  .superRefine(obeys(stockOrWarehouses))
  .superRefine(obeys(warehousesNamedOnce));
export type SimpleProduct = z.infer<typeof simpleProduct>;

/** A product with variants to create (§4.4, 4.6): price, stock and sku are its items'. */
export const variantProduct = z.strictObject({
  externalId: uuid,
  name: z.string().min(1),
  ...commonFields,
  variants: variantsToCreate,
});
export type VariantProduct = z.infer<typeof variantProduct>;

/** Any subset of a product's fields (§4.7). */
export const productChanges = z
  .strictObject({
    name: z.string().min(1).optional(),
    sku: identifier.optional(),
    price: price.optional(),
    specialPrice: price.nullable().optional(),
    ...stockFields,
    warehouses: z.array(warehouseStock).min(1).optional(),
    ...commonFields,
    thumbnails: urls.optional(),
    variants: variantsToUpdate.optional(),
  })
  .superRefine(obeys(stockOrWarehouses))
  .superRefine(obeys(warehousesNamedOnce))
  .superRefine(obeys((changes) => variantRestrictions(changes)));
export type ProductChanges = z.infer<typeof productChanges>;
