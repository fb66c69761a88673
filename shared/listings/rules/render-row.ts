import type { PriceItem, StockItem } from '../../marketplace/offers.ts';
import { type Listing, type RegisterName, type Registers, registerEntries, warehouseOf } from '../model.ts';
import { DISCARDED } from './settle-row.ts';
import { fieldsOfTarget } from './target.ts';
import type { Step } from './waiting.ts';

/** A row with the register versions it carries, which is what its outcome settles. */
export interface RenderedRow<Row> {
  readonly row: Row;
  readonly registers: Registers;
}

/** Whether rendering the step needs the store's list of warehouses: a global value beside a warehouse's newer one. */
export function needsStoreWarehouses(listing: Listing, step: Step): boolean {
  return step.registers.includes('stock') && hasWarehouseRegisters(listing);
}

/**
 * Renders a stock step. A global row only where none of the store's warehouses has a value of its own; otherwise
 * explicit rows, in which the global value stands for those of `storeWarehouses` that have none, so that it never
 * lands over a newer one. `storeWarehouses` counts only where `needsStoreWarehouses` says so. Without a `row` there is
 * nothing to send: every warehouse has a newer value of its own.
 */
export function renderStockRow(
  listing: Listing,
  step: Step,
  storeWarehouses: readonly string[],
): { readonly row: StockItem | undefined; readonly registers: Registers } {
  const registers = pick(listing.desired, step.registers);
  const target = fieldsOfTarget(listing.target);
  const global = registers.stock?.value;
  const isOwn = (clientId: string) => listing.desired[`stock:${clientId}`] !== undefined;
  if (global !== undefined && global !== null && !storeWarehouses.some(isOwn)) {
    return { row: { ...target, stock: global }, registers: pick(registers, ['stock']) };
  }
  const explicit = registerEntries(registers).flatMap(([name, { value }]) => {
    const clientId = warehouseOf(name);
    return clientId === undefined ? [] : [{ clientId, stock: value ?? 0 }];
  });
  const inherited = storeWarehouses
    .filter((clientId) => !isOwn(clientId))
    .map((clientId) => ({ clientId, stock: global ?? 0 }));
  const warehouses = global === undefined ? explicit : [...explicit, ...inherited];
  return { row: warehouses.length === 0 ? undefined : { ...target, warehouses }, registers };
}

/**
 * Renders a price step: always the price, and the special price where one is known, `null` clearing it. A value that
 * was discarded does not go along with the other one: in place of such a price the one goes that stood before it (if any
 * did: no row goes without a price), and without such a special price the marketplace keeps its own. One that the
 * marketplace rejected does go, as that may have been the other's fault.
 */
export function renderPriceRow(listing: Listing): RenderedRow<PriceItem> {
  const { desired, settled } = listing;
  const names = (['price', 'specialPrice'] as const).filter((name) => !isDiscarded(listing, name));
  const registers = pick(desired, names);
  const price = registers.price?.value ?? settled.price?.acceptedBefore?.value ?? desired.price?.value ?? 0;
  const target = fieldsOfTarget(listing.target);
  const { specialPrice } = registers;
  const row =
    specialPrice === undefined
      ? { ...target, price }
      : { ...target, price, specialPrice: specialPrice.value };
  return { row, registers };
}

/** Whether an operator dropped a register's newest value. */
function isDiscarded({ desired, settled }: Listing, name: RegisterName): boolean {
  const [wanted, known] = [desired[name], settled[name]];
  return known?.code === DISCARDED && known.version === wanted?.version && known.value === wanted.value;
}

function hasWarehouseRegisters(listing: Listing): boolean {
  return registerEntries(listing.desired).some(([name]) => warehouseOf(name) !== undefined);
}

function pick(registers: Registers, names: readonly RegisterName[]): Registers {
  return Object.fromEntries(registerEntries(registers).filter(([name]) => names.includes(name)));
}
