import { uuid } from '../../marketplace/fields.ts';
import { type ProductChanges, productChanges } from '../../marketplace/product-request.ts';
import type { RowFault } from '../model.ts';
import { faultOf } from './check-product.ts';

/** Checks an update of a product against §4.7; the fault's field is inside the event. */
export function checkUpdate(
  productId: string,
  changes: Readonly<Record<string, unknown>>,
): { changes: ProductChanges } | { fault: RowFault } {
  if (!uuid.safeParse(productId).success) {
    return { fault: { code: 'ROW_INVALID', message: 'productId is not a UUID', field: 'detail.productId' } };
  }
  const checked = productChanges.safeParse(changes);
  if (checked.success && Object.keys(checked.data).length > 0) return { changes: checked.data };
  const fault = faultOf(checked.error) ?? { code: 'ROW_INVALID', message: 'there is nothing to change' };
  const field = ['detail.changes', fault.field].filter(Boolean).join('.');
  return { fault: { ...fault, field } };
}
