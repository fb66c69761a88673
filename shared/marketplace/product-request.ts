import * as z from 'zod';
import { obeys, type Problem, price, stock, text, uuid, warehouseStock } from './fields.ts';

// The specification names no required fields, and no lengths or ranges of most values (§2, gaps). Whatever it does not
// forbid is sent, and the marketplace judges.

/** White space, or a drive of Windows. */
const NO_URL = /\s|^[a-z]:/i;
/** A second URL that is not the value of a query. A text with one behind its scheme is a list of URLs. */
const FURTHER_URL = /(?<!=)https?:\/\//i;
/** White space is checked before the format: zod ignores it when it checks the format, but the text is sent as given. */
const url = z
  .string()
  .refine((given) => !NO_URL.test(given) && !FURTHER_URL.test(given.slice(given.indexOf('://') + 3)), {
    message: 'must be one URL, without white space',
    params: { rule: 'ONE_URL' },
  })
  .url();
const urls = z.array(url).optional();
const flag = z.boolean().optional();
const dimension = z.number();

/** Fields that simple products and products with variants have in common (§4.3, 4.4). */
const commonFields = {
  name: text.optional(),
  description: text.optional(),
  dimensions: z.strictObject({ length: dimension, width: dimension, height: dimension }).optional(),
  weight: z.int().optional(),
  minOrder: z.int().optional(),
  subCategoryId: uuid.optional(),
  categoryId: uuid.optional(),
  typeId: uuid.optional(),
  brandId: uuid.optional(),
  hashtags: z.array(text).optional(),
  condition: text.optional(),
  photos: urls,
  thumbnails: urls,
  officialBanners: urls,
  isPreorder: flag,
  preorderPeriod: z.int().optional(),
  isArchived: flag,
  insuranceRequired: flag,
  codEnabled: flag,
};

/** Fields of a simple product that a product with variants has on its variants instead, with a schema of their stock. */
const offerFieldsOf = (count: z.ZodType<number>) => ({
  sku: text.min(1).optional(),
  price: price.optional(),
  specialPrice: price.nullable().optional(),
  stock: count.optional(),
  warehouses: z
    .array(warehouseStock.extend({ stock: count }))
    .min(1)
    .optional(),
});
const offerFields = offerFieldsOf(stock);

/** The partner's own identifier. Required: without it, a creation that is sent twice would make two products (PRD_002). */
const externalId = uuid;

const variantItemOf = (fields: typeof offerFields) =>
  z
    .strictObject({
      price: price.optional(),
      stock: fields.stock,
      isDefault: flag,
      status: text.optional(),
      sku: fields.sku,
      weight: z.int().optional(),
      photos: urls,
      optionIndexes: z.array(z.int().nonnegative()).optional(),
      sortOrder: z.int().optional(),
      warehouses: fields.warehouses,
    })
    .check(obeys(stockOrWarehouses));

const optionGroup = z.strictObject({
  /** Position among the levels, from 1. */
  level: z.int().positive(),
  name: text,
  values: z.array(z.strictObject({ label: text })),
});

const variantsToCreate = z
  .strictObject({
    items: z.array(variantItemOf(offerFields)).min(1),
    optionGroups: z.array(optionGroup).optional(),
  })
  .check(obeys(({ items, optionGroups = [] }) => optionIndexesWithinGroups(items, optionGroups)));

/** On update an empty list deactivates all variants, and omitted option groups stay unchanged (§3). */
const variantsToUpdateOf = (fields: typeof offerFields) =>
  z
    .strictObject({
      items: z.array(variantItemOf(fields)).optional(),
      optionGroups: z.array(optionGroup).optional(),
    })
    .check(
      obeys(({ items = [], optionGroups }) =>
        optionGroups === undefined ? [] : optionIndexesWithinGroups(items, optionGroups),
      ),
    );

/** A simple product to create (§4.3, 4.5). Fields that the specification does not name are left to the marketplace. */
export const simpleProduct = z
  .looseObject({ externalId, ...offerFields, ...commonFields })
  .check(obeys(stockOrWarehouses));
export type SimpleProduct = z.infer<typeof simpleProduct>;

/** A product with variants to create (§4.4, 4.6). Its items have price, stock and sku. */
export const variantProduct = z
  .looseObject({ externalId, ...commonFields, variants: variantsToCreate })
  .check(obeys(variantRestrictions));
export type VariantProduct = z.infer<typeof variantProduct>;

const productChangesOf = (fields: typeof offerFields) =>
  z
    .strictObject({ ...fields, ...commonFields, variants: variantsToUpdateOf(fields).optional() })
    .check(obeys(stockOrWarehouses))
    .check(obeys(variantRestrictions));

/** Any subset of a product's fields (§4.7). */
export const productChanges = productChangesOf(offerFields);
/** The changes as a partner gives them. Stock may be negative: some systems count oversold stock so. */
export const givenProductChanges = productChangesOf(offerFieldsOf(z.int()));
export type ProductChanges = z.infer<typeof productChanges>;

interface StockLevels {
  readonly stock?: number | undefined;
  readonly warehouses?: readonly unknown[] | undefined;
}

interface OptionGroup {
  readonly level: number;
  readonly values: readonly unknown[];
}

/** Product-level fields that a product with variants must not have (§4.7). */
const FIELDS_OF_SIMPLE_PRODUCTS = ['price', 'specialPrice', 'stock', 'sku', 'warehouses'] as const;

type TopLevel = { readonly [Field in (typeof FIELDS_OF_SIMPLE_PRODUCTS)[number]]?: unknown } & {
  readonly variants?: { readonly items?: readonly unknown[] | undefined } | undefined;
};

/** Stock is given as `stock` or per warehouse, not both (§4.3, 4.4, 4.7). */
function stockOrWarehouses({ stock, warehouses }: StockLevels): Problem[] {
  if (stock === undefined || warehouses === undefined) return [];
  const message = 'stock and warehouses must not be given together';
  return [{ path: ['warehouses'], rule: 'STOCK_OR_WAREHOUSES', message }];
}

/** Each variant has one index per option group, by level, into that group's values (§2). */
function optionIndexesWithinGroups(
  items: readonly { readonly optionIndexes?: readonly number[] | undefined }[],
  optionGroups: readonly OptionGroup[],
): Problem[] {
  const groups = optionGroups.toSorted((a, b) => a.level - b.level);
  return items.flatMap(({ optionIndexes = [] }, item): Problem[] => {
    const path = ['items', item, 'optionIndexes'];
    if (optionIndexes.length !== groups.length) {
      const message = `optionIndexes must have one index per option group: ${groups.length}`;
      return [{ path, rule: 'OPTION_INDEX_PER_GROUP', message }];
    }
    return groups.flatMap(({ level, values }, group) => {
      if ((optionIndexes[group] ?? 0) < values.length) return [];
      const message = `there are only ${values.length} values at level ${level}`;
      return [{ path: [...path, group], rule: 'OPTION_INDEX_IN_GROUP', message }];
    });
  });
}

/** Changes that bring variants have no price, stock or SKU at product level (§4.7). */
function variantRestrictions(changes: TopLevel): Problem[] {
  if ((changes.variants?.items?.length ?? 0) === 0) return [];
  return FIELDS_OF_SIMPLE_PRODUCTS.filter((field) => changes[field] !== undefined).map((field) => ({
    path: [field],
    rule: 'NOT_WITH_VARIANTS',
    message: `${field} is not allowed on a product with variants`,
  }));
}
