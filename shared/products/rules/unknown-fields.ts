import { cutOff } from '../../collections/cut-off.ts';
import { simpleProduct, variantProduct } from '../../marketplace/product-request.ts';
import type { RowWarning } from '../../warnings/model.ts';
import { shapeOf } from '../model.ts';

const KNOWN = {
  simple: new Set(Object.keys(simpleProduct.shape)),
  variants: new Set(Object.keys(variantProduct.shape)),
};
/** A warning quotes at most this many characters of the names. */
const MAX_QUOTED = 200;

/** Warns about fields of a product to create that are not in the specification. The marketplace gets these fields as given. */
export function unknownFields(product: Readonly<Record<string, unknown>>): RowWarning[] {
  const known = KNOWN[shapeOf(product)];
  const unknown = Object.keys(product).filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const names = cutOff(unknown.map((name) => JSON.stringify(name)).join(', '), MAX_QUOTED);
  return [{ code: 'FIELD_UNKNOWN', message: `${names}: not in the specification, sent as given` }];
}
