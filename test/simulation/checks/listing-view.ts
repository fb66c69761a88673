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

/** Stock registers that wait to become 0. */
export function pendingZeros(listing: Listing): RegisterName[] {
  return pendingRegisters(listing).filter(
    (name) => name.startsWith('stock') && listing.desired[name]?.value === 0,
  );
}

/** What the marketplace took last of a register. */
export function acceptedOf({ settled }: Listing, name: RegisterName): number | undefined {
  const known = settled[name];
  const accepted = known?.outcome === 'rejected' ? known.acceptedBefore : known;
  return accepted?.value ?? undefined;
}

/**
 * Whether something of a listing leaves although its prices are held: a zero, stock with no price before it, and stock
 * that is no raise over any value that may stand at the marketplace.
 */
export function leavesUnderHold(listing: Listing): boolean {
  const pending = pendingRegisters(listing);
  const stock = pending.filter((name) => name.startsWith('stock'));
  if (stock.length === pending.length) return stock.length > 0;
  return stock.some((name) => {
    const { value = null, lowest = Number.POSITIVE_INFINITY } = listing.desired[name] ?? {};
    return value === 0 || (value ?? 0) <= Math.min(acceptedOf(listing, name) ?? -1, lowest);
  });
}
