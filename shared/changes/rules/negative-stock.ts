import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import type { ChangeRow } from './read-changes.ts';

/** Why a row's negative stock is not taken in its store; `undefined` if it is taken, or if there is none. */
export function negativeFaultOf(
  { rowIndex, change: { negative } }: ChangeRow,
  store: Pick<Store, 'negativeStock'>,
): CommandFault | undefined {
  const fault = negative && negativeStockFault(negative, store);
  return fault && { ...fault, field: `detail.items.${rowIndex}.${fault.field}` };
}

/** The negative stock of a row, by register. */
type Negative = Readonly<Record<string, number | undefined>>;

/** The same for a row of a file, or of figures that are compared: a minus there may as well be a dash, so it is 0 only if the store says so. */
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
