import * as z from 'zod';
import { enveloped } from '../api/answers.ts';
import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import { validationError } from '../errors.ts';
import { applyUpdate, checkUpdate } from '../rules/product-update.ts';
import { uuid } from '../schemas/common.ts';
import { productChanges } from '../schemas/product.ts';
import { hasVariants } from '../state/product.ts';
import { productOf } from './product-reads.ts';

/** §4.7 */
export const productUpdate: Endpoint = storeEndpoint({
  operationId: 'updateProduct',
  section: '4.7',
  summary: 'Update product (partial)',
  method: 'PATCH',
  path: '/partner/stores/products/{productId}',
  body: productChanges,
  answer: z.object({
    externalId: z.string().nullable(),
    id: uuid,
    hasVariants: z.boolean(),
    updatedFields: z.array(z.string()),
  }),
  envelope: 'enveloped',
  errors: ['PRD_014'],
  handle: ({ store, params, body, newId, now }) => {
    const product = productOf({ store, params });
    const broken = checkUpdate(store, product, body);
    if (broken) throw validationError(broken.validationErrors, broken.reason);
    const updatedFields = applyUpdate(store, product, body, newId, now);
    const { id, externalId = null } = product;
    return enveloped('Product updated', { externalId, id, hasVariants: hasVariants(product), updatedFields });
  },
});
