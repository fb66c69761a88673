import * as z from 'zod';
import { enveloped } from '../api/answers.ts';
import { type Endpoint, storeEndpoint } from '../api/endpoint.ts';
import type { RowError } from '../batches/batch.ts';
import { rowError, violationError } from '../rules/rows.ts';
import { rowError as rowErrorSchema, uuid } from '../schemas/common.ts';

const AT_LEAST_ONE = 'At least one ID is required';

/** §4.10 */
export const productDeletion: Endpoint = storeEndpoint({
  operationId: 'deleteProducts',
  section: '4.10',
  summary: 'Delete products',
  method: 'POST',
  path: '/partner/stores/products/deletions',
  body: z.looseObject({ ids: z.array(z.unknown(), AT_LEAST_ONE).min(1, AT_LEAST_ONE) }),
  row: uuid,
  answer: z.object({
    summary: z.object({ total: z.int(), succeeded: z.int(), failed: z.int() }),
    successItems: z.array(z.object({ id: uuid, externalId: z.string().nullable() })),
    errors: z.array(rowErrorSchema),
  }),
  envelope: 'enveloped',
  handle: ({ store: { catalog }, body }) => {
    const successItems: { id: string; externalId: string | null }[] = [];
    const errors: RowError[] = [];
    for (const [rowIndex, row] of body.ids.entries()) {
      const id = typeof row === 'string' ? row : undefined;
      const product = catalog.byId(id ?? '');
      if (id !== undefined && product !== undefined) {
        catalog.remove(product);
        successItems.push({ id, externalId: product.externalId ?? null });
      } else {
        errors.push(missing(id, rowIndex));
      }
    }
    const summary = { total: body.ids.length, succeeded: successItems.length, failed: errors.length };
    return enveloped('Products deleted', { summary, successItems, errors }, { dispatch: false });
  },
});

function missing(id: string | undefined, rowIndex: number): RowError {
  if (uuid.safeParse(id).success)
    return rowError('PRD_014', rowIndex, { id }, { reason: 'PRODUCT_NOT_FOUND' });
  const validationErrors = { id: 'Invalid GUID' };
  return violationError(rowIndex, { id }, { reason: 'INVALID_ROW', validationErrors });
}
