import { type Live, type RegisterName, registerEntries, warehouseOf } from '../model.ts';

/**
 * The values that a product shows of one register; none where it does not show the register. Where warehouses are shown,
 * the global stock is that of each warehouse without a register of its own among `wanted`.
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
