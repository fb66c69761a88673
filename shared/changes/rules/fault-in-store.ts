import { nameOfTarget } from '../../listings/rules/target.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import type { ChangeRow } from './read-changes.ts';

/** Why its store does not take a row: for its name, or for its negative stock. `undefined` if it does. */
export function faultInStore(
  { event, rowIndex, change: { target, negative } }: ChangeRow,
  { names, negativeStock }: Pick<Store, 'names' | 'negativeStock'>,
): CommandFault | undefined {
  const name = event.detailType === 'price.changed' ? priceNameOf(names) : names.products;
  const fault =
    nameFault('products', name, nameOfTarget(target)) ??
    (negative && negativeStockFault(negative, { negativeStock }));
  return fault && { ...fault, field: `detail.items.${rowIndex}.${fault.field}` };
}

/** The negative stock of a row, by register. */
type Negative = Readonly<Record<string, number | undefined>>;

/**
 * The fault of negative stock in a row of a file, or of figures that are compared. A minus there may as well be a dash, so negative
 * stock is taken as 0 only if the store says so.
 */
export function negativeFigureFault(
  negative: Negative | undefined,
  { negativeStock = 'reject' }: Pick<Store, 'negativeStock'>,
) {
  return negative && negativeStockFault(negative, { negativeStock });
}

function negativeStockFault(negative: Negative, { negativeStock = 'zero' }: Pick<Store, 'negativeStock'>) {
  if (negativeStock === 'zero') return undefined;
  const [given] = Object.values(negative);
  const message = `the stock ${given} is negative, which the store rejects (negativeStock)`;
  return { code: 'ROW_INVALID', message, field: 'stock' };
}
