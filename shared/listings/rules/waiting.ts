import type { EpochMs } from '../../time/times.ts';
import {
  type DesiredRegister,
  isSameValue,
  isStockRegister,
  type Listing,
  lastAccepted,
  type Register,
  type RegisterName,
  registerEntries,
  registersWithout,
} from '../model.ts';

/** The priorities, as stored. `sendingPriorities` has the order in which they are sent. */
export const priorities = { zeroStock: 0, price: 1, loweredStock: 2, stock: 3 } as const;
export type Priority = (typeof priorities)[keyof typeof priorities];

/** The registers of a listing that are sent next, in one row. */
export interface Step {
  readonly kind: 'stock' | 'price';
  readonly priority: Priority;
  readonly registers: readonly RegisterName[];
}

/** Whether the newest value of a register is not settled yet. */
export function isPending(listing: Listing, name: RegisterName, desired: Register): boolean {
  return !isSameValue(listing.settled[name], desired);
}

/**
 * The next step of a listing; `undefined` if no value waits. A zero never shares a row with a higher stock. If a price waits too,
 * stock that is not raised comes before the price, and raised stock after it. A price may be held or refused for long; meanwhile the
 * store must not sell products that it does not have.
 */
export function nextStep(listing: Listing): Step | undefined {
  const pending = registerEntries(listing.desired).filter(([name, register]) =>
    isPending(listing, name, register),
  );
  const stock = pending.filter(([name]) => isStockRegister(name));
  const zeros = stock.filter(([, register]) => register.value === 0);
  // When values are sent one by one, start with the one sent longest ago.
  const sentAt = ([name, register]: (typeof stock)[number]) =>
    isSameValue(listing.sent[name], register) ? (listing.sent[name]?.at ?? '') : '';
  const rowOf = (kept: typeof stock) =>
    namesOf(
      listing.oneAtATime ? kept.toSorted((a, b) => sentAt(a).localeCompare(sentAt(b))).slice(0, 1) : kept,
    );
  if (zeros.length > 0) return { kind: 'stock', priority: priorities.zeroStock, registers: rowOf(zeros) };
  const prices = pending.filter(([name]) => !isStockRegister(name));
  if (prices.length > 0) {
    const lowered = stock.filter(([name, register]) => !isRaise(listing, name, register));
    return lowered.length > 0
      ? { kind: 'stock', priority: priorities.loweredStock, registers: rowOf(lowered) }
      : { kind: 'price', priority: priorities.price, registers: namesOf(prices) };
  }
  if (stock.length > 0) return { kind: 'stock', priority: priorities.stock, registers: rowOf(stock) };
  return undefined;
}

/**
 * Sets `waitingSince` when the first value begins to wait, and removes it when none waits. Keeps `notBefore` until that time, even if
 * no value waits: until then a request of unknown outcome may land, and it must not land after the next value. Removes the back-off
 * and `oneAtATime` if no value waits.
 */
export function withWaiting(
  { waitingSince, notBefore, backoffUntil, ...rest }: Listing,
  now: EpochMs,
): Listing {
  const held = notBefore !== undefined && notBefore > now ? { notBefore } : {};
  const step = nextStep(rest);
  if (step === undefined) {
    const { oneAtATime: _, tries: __, ...idle } = rest;
    return { ...idle, ...held, failures: 0 };
  }
  const backoff = backoffUntil !== undefined && backoffUntil > now ? { backoffUntil } : {};
  // Lowered stock that was not sent yet does not wait because earlier rows failed.
  const failures = hasUnsentLowerStock(rest, step) ? 0 : rest.failures;
  return { ...rest, ...held, ...backoff, failures, waitingSince: waitingSince ?? now };
}

/** The listing's next step is not sent before this time; `undefined` if it may be sent at any time. */
export function notBeforeOf(listing: Listing): EpochMs | undefined {
  const { notBefore, backoffUntil } = listing;
  if (backoffUntil === undefined || hasUnsentLowerStock(listing)) return notBefore;
  return Math.max(notBefore ?? 0, backoffUntil);
}

/** Whether the next row has stock that is not raised and was not sent yet. Such a row does not wait for the back-off. */
function hasUnsentLowerStock(listing: Listing, step = nextStep(listing)): boolean {
  if (step?.kind !== 'stock') return false;
  return step.registers.some((name) => {
    const register = listing.desired[name];
    return register && !isSameValue(listing.sent[name], register) && !isRaise(listing, name, register);
  });
}

/** When the listing's next step may be sent. */
export function readyAt(listing: Listing): EpochMs {
  return Math.max(listing.waitingSince ?? 0, notBeforeOf(listing) ?? 0);
}

/**
 * Sort key of a waiting listing: `{priority}#{when it may be sent, epoch ms, 15 digits}`. `undefined` if no value waits. A query of one
 * key range reads the due listings of a priority, the oldest first.
 */
export function waitingKey(listing: Listing): string | undefined {
  const step = nextStep(listing);
  return step && `${step.priority}#${String(readyAt(listing)).padStart(15, '0')}`;
}

function namesOf(entries: readonly (readonly [RegisterName, Register])[]): RegisterName[] {
  return entries.map(([name]) => name);
}

/**
 * Whether a stock value may be higher than the value that the marketplace shows. If no value was accepted yet, the marketplace may
 * show any lower value. If several earlier values may have been applied, the lowest counts. A 0 is never a raise.
 */
export function isRaise(
  { settled }: Listing,
  name: RegisterName,
  { value, lowest }: DesiredRegister,
): boolean {
  const accepted = lastAccepted(settled[name])?.value;
  return (
    value !== 0 && (typeof accepted !== 'number' || (value ?? 0) > Math.min(accepted, lowest ?? accepted))
  );
}

/**
 * Makes registers wait again, as if their newest values were not settled. When they are sent, their values at that time are sent.
 */
export function waitAgain(listing: Listing, names: readonly RegisterName[], now: EpochMs): Listing {
  return withWaiting({ ...listing, settled: registersWithout(listing.settled, names) }, now);
}
