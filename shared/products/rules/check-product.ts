import type * as z from 'zod';
import { compiled } from '../../collections/compiled.ts';
import { misspelledName } from '../../collections/misspelled-name.ts';
import { inputErrors } from '../../errors/input-errors.ts';
import { uuid } from '../../marketplace/fields.ts';
import {
  givenProductChanges,
  type ProductChanges,
  productChanges,
  simpleProduct,
  variantProduct,
} from '../../marketplace/product-request.ts';
import { type CommandFault, rowFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import { type GivenProduct, shapeOf } from '../model.ts';

const FIELDS = Object.keys({ ...simpleProduct.shape, ...variantProduct.shape });
const schemaOf = { simple: compiled(simpleProduct), variants: compiled(variantProduct) };

/**
 * Checks a product to create against §4.3 – 4.6.
 *
 * @returns the first broken rule as the fault, with the first ten in `details`; `undefined` for a valid product.
 */
export function checkProduct(product: GivenProduct): CommandFault | undefined {
  const misspelled = misspelledName(product, FIELDS);
  if (misspelled !== undefined) {
    const message = `must be written ${misspelled.meant}`;
    return rowFault([
      { code: 'custom', path: [misspelled.given], message, params: { rule: 'FIELD_MISSPELLED' } },
    ]);
  }
  const schema = schemaOf[shapeOf(product)]();
  return faultOf(schema.safeParse(product, { error: inputErrors }).error);
}

function faultOf(error: z.ZodError | undefined): CommandFault | undefined {
  return error && rowFault(error.issues);
}

/**
 * Checks an update of a product against §4.7. `field` of the fault is a path in the event. Its stock may be negative, unless the
 * store rejects such a stock.
 */
export function checkUpdate(
  productId: string,
  changes: Readonly<Record<string, unknown>>,
  { negativeStock }: Pick<Store, 'negativeStock'>,
): { changes: ProductChanges } | { fault: CommandFault } {
  if (!uuid.safeParse(productId).success) {
    return { fault: { code: 'ROW_INVALID', message: 'productId is not a UUID', field: 'detail.productId' } };
  }
  const schema = negativeStock === 'reject' ? productChanges : givenProductChanges;
  const checked = schema.safeParse(changes, { error: inputErrors });
  if (checked.success && Object.keys(checked.data).length > 0) return { changes: checked.data };
  const fault = faultOf(checked.error) ?? { code: 'ROW_INVALID', message: 'there is nothing to change' };
  const field = ['detail.changes', fault.field].filter(Boolean).join('.');
  return { fault: { ...fault, field } };
}
