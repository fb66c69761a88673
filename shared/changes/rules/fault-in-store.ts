import { nameOfTarget } from '../../listings/rules/target.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import type { ChangeRow } from './read-changes.ts';

/** Why a store does not take a row: the kind of name, or negative stock. `undefined` if the store takes the row. */
export function faultInStore(
  { event, rowIndex, change: { target, negative } }: ChangeRow,
  { names, negativeStock }: Pick<Store, 'names' | 'negativeStock'>,
): CommandFault | undefined {
  const name = event.detailType === 'price.changed' ? priceNameOf(names) : names.products;
  const fault =
    nameFault('products', name, nameOfTarget(target)) ??
    (negative && negativeStock === 'reject' ? faultOf(negative, REJECTED) : undefined);
  return fault && { ...fault, field: `detail.items.${rowIndex}.${fault.field}` };
}

/** The negative stock of a row, by register. */
type Negative = Readonly<Record<string, number | undefined>>;

/**
 * The fault of negative stock in a row of a file, or in figures that are compared. A minus sign there may be a dash, so negative
 * stock is taken as 0 only if the store says so.
 */
export function negativeFigureFault(
  negative: Negative | undefined,
  { negativeStock }: Pick<Store, 'negativeStock'>,
) {
  if (negative === undefined || negativeStock === 'zero') return undefined;
  return faultOf(negative, negativeStock === 'reject' ? REJECTED : MAY_BE_A_DASH);
}

const REJECTED = ', which the store rejects (negativeStock)';
const MAY_BE_A_DASH = ', or behind a dash: only a store with negativeStock "zero" takes it as 0';

function faultOf(negative: Negative, why: string) {
  const [[register, given] = []] = Object.entries(negative);
  const [, warehouse] = register?.split(/:(.*)/s) ?? [];
  const where = warehouse === undefined ? '' : ` in ${warehouse}`;
  return { code: 'ROW_INVALID', message: `the stock ${given} is negative${where}${why}`, field: 'stock' };
}
