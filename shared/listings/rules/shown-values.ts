import { type Live, type RegisterName, registerEntries, warehouseOf } from '../model.ts';

/**
 * The values that a product shows for one register; none if it does not show the register. If the product shows warehouses, the
 * values of the global stock are the stock of each warehouse that has no register in `wanted`.
 */
export function shownValuesOf(
  wanted: Readonly<Partial<Record<RegisterName, unknown>>>,
  shown: Live['values'],
  name: RegisterName,
): (number | null)[] {
  const warehouses = registerEntries(shown).filter(([other]) => warehouseOf(other) !== undefined);
  if (name === 'stock' && warehouses.length > 0) {
    return warehouses.flatMap(([other, value]) => (wanted[other] === undefined ? [value] : []));
  }
  const value = shown[name];
  return value === undefined ? [] : [value];
}
