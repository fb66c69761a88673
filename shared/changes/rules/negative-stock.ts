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

/** @param negative the negative stock of a row, by register */
export function negativeStockFault(
  negative: Readonly<Record<string, number | undefined>>,
  { negativeStock = 'zero' }: Pick<Store, 'negativeStock'>,
) {
  if (negativeStock === 'zero') return undefined;
  const [given] = Object.values(negative);
  const message = `the stock ${given} is negative, which the store rejects (negativeStock)`;
  return { code: 'ROW_INVALID', message, field: 'stock' };
}
