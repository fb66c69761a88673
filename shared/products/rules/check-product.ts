import { z } from 'zod';
import { simpleProduct, variantProduct } from '../../marketplace/product-request.ts';
import { type Product, type RowFault, shapeOf } from '../model.ts';

/** Most broken rules that one fault tells of. */
const MAX_PROBLEMS = 10;
/** Longest field path and message, in characters: both may quote what the partner wrote. */
const MAX_TEXT = 300;

/**
 * Checks a product to create against §4.3 – 4.6.
 *
 * @returns the first broken rule as the fault, all of them in its `details`; `undefined` for a good product.
 */
export function checkProduct(product: Product): RowFault | undefined {
  const schema = shapeOf(product) === 'simple' ? simpleProduct : variantProduct;
  return faultOf(schema.safeParse(product).error);
}

/** What a schema found wrong, as a fault of the row. */
export function faultOf(error: z.ZodError | undefined): RowFault | undefined {
  const problems = error?.issues.slice(0, MAX_PROBLEMS).map(problemOf) ?? [];
  const [first] = problems;
  if (first === undefined) return undefined;
  const message = first.field === '' ? first.message : `${first.field}: ${first.message}`;
  return { code: 'ROW_INVALID', message, field: first.field, details: { problems } };
}

function problemOf(issue: z.core.$ZodIssue): { field: string; rule: string; message: string } {
  const rule = issue.code === 'custom' ? issue.params?.rule : undefined;
  return {
    field: z.core.toDotPath(issue.path).slice(0, MAX_TEXT),
    rule: typeof rule === 'string' ? rule : issue.code.toUpperCase(),
    message: issue.message.slice(0, MAX_TEXT),
  };
}
