import { type Listing, type RegisterName, registerEntries } from '../../../shared/listings/model.ts';

/** Whether the newest value of a register has no answer yet. */
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

/** Epoch ms from which a zero may be sent. A zero waits only for the backoff of a row that contained it. */
export function zerosDueAt(listing: Listing): number {
  const { desired, sent, waitingSince = 0, notBefore = 0, backoffUntil = 0 } = listing;
  const wereSent = pendingZeros(listing).every(
    (name) => sent[name]?.version === desired[name]?.version && sent[name]?.value === desired[name]?.value,
  );
  return Math.max(waitingSince, notBefore, wereSent ? backoffUntil : 0);
}

/** The value of a register that the marketplace accepted last. */
export function acceptedOf({ settled }: Listing, name: RegisterName): number | undefined {
  const known = settled[name];
  const accepted = known?.outcome === 'rejected' ? known.acceptedBefore : known;
  return accepted?.value ?? undefined;
}

/**
 * Whether part of a listing may be sent although its prices are held: a zero, stock without a waiting price, and stock that
 * does not raise any value that may be at the marketplace.
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
