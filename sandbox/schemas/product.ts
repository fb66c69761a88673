import * as z from 'zod';
import { uuid } from './common.ts';

const price = z.number().min(0);
const specialPrice = price.nullable();
const stock = z.int().min(0);
const urls = z.array(z.url());

const warehouseStock = z.looseObject({ clientId: z.string().min(1), stock });

/** The fields of a product besides its identity, price, stock and variants. */
const attributes = {
  name: z.string().optional(),
  description: z.string().optional(),
  weight: z.int().optional(),
  dimensions: z.looseObject({ length: z.number(), width: z.number(), height: z.number() }).optional(),
  minOrder: z.int().optional(),
  categoryId: uuid.optional(),
  subCategoryId: uuid.optional(),
  typeId: uuid.optional(),
  brandId: uuid.optional(),
  hashtags: z.array(z.string()).optional(),
  condition: z.string().optional(),
  photos: urls.optional(),
  thumbnails: urls.optional(),
  officialBanners: urls.optional(),
  isPreorder: z.boolean().optional(),
  preorderPeriod: z.int().optional(),
  isArchived: z.boolean().optional(),
  insuranceRequired: z.boolean().optional(),
  codEnabled: z.boolean().optional(),
};

export const productAttributes = z.object(attributes);
export type ProductAttributes = z.output<typeof productAttributes>;

const optionGroup = z.looseObject({
  level: z.int().min(1),
  name: z.string(),
  values: z.array(z.looseObject({ label: z.string() })),
});
export type OptionGroup = z.output<typeof optionGroup>;

const variantItem = z.looseObject({
  price: price.optional(),
  stock: stock.optional(),
  isDefault: z.boolean().optional(),
  status: z.string().optional(),
  sku: z.string().min(1).optional(),
  weight: z.int().optional(),
  photos: urls.optional(),
  optionIndexes: z.array(z.int().min(0)).optional(),
  sortOrder: z.int().optional(),
  warehouses: z.array(warehouseStock).optional(),
});
export type VariantItem = z.output<typeof variantItem>;

const variants = z
  .looseObject({ items: z.array(variantItem).optional(), optionGroups: z.array(optionGroup).optional() })
  .meta({ id: 'Variants' });

const ownOffer = {
  sku: z.string().min(1).optional(),
  price: price.optional(),
  specialPrice: specialPrice.optional(),
  stock: stock.optional(),
  warehouses: z.array(warehouseStock).optional(),
};

/** A product of §4.3 – 4.6. No field is required, as the specification does not say which are. */
export const productRow = z
  .looseObject({
    externalId: uuid.optional(),
    ...attributes,
    ...ownOffer,
    variants: variants.optional(),
  })
  .meta({ id: 'ProductRow' });
export type ProductRow = z.output<typeof productRow>;

/** The body of §4.7. */
export const productChanges = z
  .looseObject({ ...attributes, ...ownOffer, variants: variants.optional() })
  .meta({ id: 'ProductChanges' });
export type ProductChanges = z.output<typeof productChanges>;

/** A row of §4.8. */
export const priceRow = z
  .looseObject({
    id: uuid.optional(),
    sku: z.string().min(1).optional(),
    price,
    specialPrice: specialPrice.optional(),
  })
  .refine((row) => (row.id === undefined) !== (row.sku === undefined), {
    path: ['sku'],
    message: 'exactly one of id, sku',
  })
  .meta({ id: 'PriceRow' });
export type PriceRow = z.output<typeof priceRow>;

/** A row of §4.9: one identifier, with stock in one of three forms. */
export const stockRow = z
  .looseObject({
    id: uuid.optional(),
    sku: z.string().min(1).optional(),
    externalId: uuid.optional(),
    stock: stock.optional(),
    warehouses: z.union([z.array(z.string().min(1)), z.array(warehouseStock)]).optional(),
  })
  .refine((row) => [row.id, row.sku, row.externalId].filter((value) => value !== undefined).length === 1, {
    path: ['sku'],
    message: 'exactly one of sku, id, externalId',
  })
  .meta({ id: 'StockRow' });
export type StockRow = z.output<typeof stockRow>;
