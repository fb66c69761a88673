import { type Listing, type RegisterName, registerEntries } from '../../../shared/listings/model.ts';

/** Whether the marketplace has not yet answered to a register's newest value. */
export function isPending({ desired, settled }: Listing, name: RegisterName): boolean {
  const [wanted, known] = [desired[name], settled[name]];
  return wanted !== undefined && (wanted.version !== known?.version || wanted.value !== known.value);
}

export function pendingRegisters(listing: Listing): RegisterName[] {
  return registerEntries(listing.desired)
    .map(([name]) => name)
    .filter((name) => isPending(listing, name));
}

/** The names of a product of which a listing says that nothing leaves under them yet. */
export function joiningNames({ target, joining }: Listing): string[] {
  return joining === undefined ? [] : [target, ...joining.targets];
}

/** Stock registers that wait to become 0. */
export function pendingZeros(listing: Listing): RegisterName[] {
  return pendingRegisters(listing).filter(
    (name) => name.startsWith('stock') && listing.desired[name]?.value === 0,
  );
}
