import type * as z from 'zod';
import { BLANK, isBlank } from '../../collections/blank.ts';
import { compiled } from '../../collections/compiled.ts';
import { misspelledName } from '../../collections/misspelled-name.ts';
import { inputErrors } from '../../errors/input-errors.ts';
import { type Problem, uuid } from '../../marketplace/fields.ts';
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
import { saidTwice } from './said-twice.ts';

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
    return faultOfRules([{ path: [misspelled.given], rule: 'FIELD_MISSPELLED', message }]);
  }
  const schema = schemaOf[shapeOf(product)]();
  const { error, data } = schema.safeParse(product, { error: inputErrors });
  return faultOf(error) ?? faultOfRules(problemsOf(data ?? {})) ?? largeNumberFault(product);
}

/** Problems that the specification does not forbid, but that no sender intends. */
function problemsOf(product: Partial<ProductChanges>): Problem[] {
  return [...blankSkus(product), ...saidTwice(product)];
}

function blankSkus({ sku, variants }: Pick<ProductChanges, 'sku' | 'variants'>): Problem[] {
  const paths: Problem['path'][] = [
    ...(isBlank(sku) ? [['sku']] : []),
    ...(variants?.items ?? []).flatMap((item, index) =>
      isBlank(item.sku) ? [['variants', 'items', index, 'sku']] : [],
    ),
  ];
  return paths.map((path) => ({ path, rule: 'SKU_BLANK', message: BLANK }));
}

/** The fault of a number too large to be read exactly. The schema does not check fields that it does not know. */
function largeNumberFault(product: GivenProduct): CommandFault | undefined {
  const path = pathOfLargeNumber(product);
  if (path === undefined) return undefined;
  const message = `must be a text, or a number up to ${Number.MAX_SAFE_INTEGER}`;
  return faultOfRules([{ path, rule: 'NUMBER_TOO_LARGE', message }]);
}

function pathOfLargeNumber(value: unknown): string[] | undefined {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = pathOfLargeNumber(inner);
    if (path !== undefined) return [name, ...path];
  }
  return undefined;
}

function faultOfRules(problems: readonly Problem[]): CommandFault | undefined {
  if (problems.length === 0) return undefined;
  return rowFault(
    problems.map(({ path, rule, message }) => ({
      code: 'custom',
      path: [...path],
      message,
      params: { rule },
    })),
  );
}

function faultOf(error: z.ZodError | undefined): CommandFault | undefined {
  return error && rowFault(error.issues);
}

/**
 * Checks an update of a product against §4.7. `field` of the fault is a path in the event. The stock in an update may be
 * negative, unless the store rejects negative stock.
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
  const unlikely = faultOfRules(problemsOf(checked.data ?? {}));
  if (checked.success && unlikely === undefined && Object.keys(checked.data).length > 0)
    return { changes: checked.data };
  const fault = faultOf(checked.error) ??
    unlikely ?? { code: 'ROW_INVALID', message: 'there is nothing to change' };
  const field = ['detail.changes', fault.field].filter(Boolean).join('.');
  return { fault: { ...fault, field } };
}
