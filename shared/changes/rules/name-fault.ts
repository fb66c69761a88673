import { nameOfTarget } from '../../listings/rules/target.ts';
import type { StoreNames } from '../../stores/model.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import type { ChangeRow } from './read-changes.ts';

/** Why the row's name is wrong in its store; `undefined` if it is right. */
export function nameFaultOf({ event, rowIndex, change }: ChangeRow, names: StoreNames) {
  const expected = event.detailType === 'price.changed' ? priceNameOf(names) : names.products;
  const fault = nameFault('products', expected, nameOfTarget(change.target));
  return fault && { ...fault, field: `detail.items.${rowIndex}.${fault.field}` };
}
