import * as z from 'zod';
import { definedOf } from '../collections/defined-of.ts';
import { rowNamesSchema } from './outgoing.ts';

/** Longest name of a product or an order. A longer text is no name, and is too long for a key. */
const MAX_NAME = 200;

const name = z.string().min(1).max(MAX_NAME).optional().catch(undefined);
const names = z.object(Object.fromEntries(Object.keys(rowNamesSchema.shape).map((key) => [key, name])));
const rows = z.array(z.unknown()).catch([]);
const detailSchema = z.object({ items: rows, products: rows, ids: rows, productId: name, orderId: name });

type Names = z.infer<typeof rowNamesSchema>;

/**
 * The names in the detail of an event, which may be invalid: the names of its first product or order. If there are several, `subjects`
 * has the names of each.
 */
export function namesInDetail(
  detail: unknown,
): Names & { readonly subjects?: (Names & { readonly rowIndex: number })[] } {
  const {
    items = [],
    products = [],
    ids = [],
    productId: id,
    orderId,
  } = detailSchema.safeParse(detail).data ?? {};
  const named = [...items, ...products, ...ids.map((one) => ({ id: one }))].map((row, rowIndex) => ({
    ...namesOf(row),
    rowIndex,
  }));
  const subjects = [{ ...namesOf({ id, orderId }), rowIndex: 0 }, ...named].filter(
    (one) => Object.keys(one).length > 1,
  );
  const { rowIndex: _, ...first } = subjects[0] ?? { rowIndex: 0 };
  return { ...first, ...(subjects.length > 1 && { subjects }) };
}

function namesOf(row: unknown): Names {
  return definedOf(names.safeParse(row).data ?? {});
}
