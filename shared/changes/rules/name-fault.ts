import { nameOfTarget } from '../../listings/rules/target.ts';
import type { StoreNames } from '../../stores/model.ts';
import { nameFault, priceNameOf } from '../../stores/rules/names.ts';
import type { ChangeRow } from './read-changes.ts';

/** Why a row can not go by the name that it uses in its store. */
export function nameFaultOf({ event, rowIndex, change }: ChangeRow, names: StoreNames) {
  const expected = event.detailType === 'price.changed' ? priceNameOf(names) : names.products;
  const fault = nameFault('products', expected, nameOfTarget(change.target));
  return fault && { ...fault, field: `detail.items.${rowIndex}.${fault.field}` };
}
