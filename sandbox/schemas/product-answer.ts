import * as z from 'zod';
import { uuid } from './common.ts';
import { productAttributes } from './product.ts';

const variantAnswer = z.object({
  id: uuid,
  name: z.string(),
  sku: z.string().nullable(),
  isActive: z.boolean(),
  price: z.number(),
  specialPrice: z.number().nullable(),
  optionIndexes: z.array(z.int()),
  photos: z.array(z.string()),
  stock: z.int(),
  weight: z.int().optional(),
  warehouses: z.array(z.object({ id: uuid, clientId: z.string(), stock: z.int(), isActive: z.boolean() })),
});

/** A Product in an answer (§2). */
export const productAnswer = productAttributes
  .omit({ subCategoryId: true })
  .extend({
    id: uuid,
    externalId: z.string().nullable(),
    sku: z.string().nullable(),
    price: z.number(),
    specialPrice: z.number().nullable(),
    stock: z.int(),
    departmentId: uuid.nullable(),
    isArchived: z.boolean(),
    isVerified: z.boolean(),
    hasVariant: z.boolean(),
    warehouses: z.array(z.object({ clientId: z.string(), stock: z.int() })),
    variants: z.object({
      items: z.array(variantAnswer),
      optionGroups: z.array(
        z.looseObject({
          level: z.int(),
          name: z.string(),
          values: z.array(z.looseObject({ label: z.string() })),
        }),
      ),
    }),
  })
  .meta({ id: 'Product' });
