import {
  type DesiredRegister,
  isSameValue,
  isStockRegister,
  type Listing,
  lastAccepted,
  type Register,
  type RegisterName,
  registerEntries,
} from '../model.ts';

/**
 * Order of leaving: a zero stock first, then prices, then every other stock. Prices with lowered stock of
 * their listing behind them have a priority of their own: while prices are held, that stock leaves in their place.
 */
export const priorities = { zeroStock: 0, price: 1, priceOverLowered: 2, stock: 3 } as const;
export type Priority = (typeof priorities)[keyof typeof priorities];

/** What of a listing leaves next: only registers that may share one row. */
export interface Step {
  readonly kind: 'stock' | 'price';
  readonly priority: Priority;
  readonly registers: readonly RegisterName[];
}

/** Whether the marketplace has not yet answered to the newest value of a register. */
export function isPending(listing: Listing, name: RegisterName, desired: Register): boolean {
  return !isSameValue(listing.settled[name], desired);
}

/**
 * The next step of a listing, `undefined` when nothing may be sent. Stock above 0 waits for a waiting price of the same
 * target, and a zero never shares a row with a higher stock. While the store's prices are held, only raises of stock wait
 * for them: lower stock must be sent, or the store sells what it does not have.
 */
export function nextStep(
  listing: Listing,
  { pricesHeld = false }: { readonly pricesHeld?: boolean } = {},
): Step | undefined {
  const pending = registerEntries(listing.desired).filter(([name, register]) =>
    isPending(listing, name, register),
  );
  const stock = pending.filter(([name]) => isStockRegister(name));
  const zeros = stock.filter(([, register]) => register.value === 0);
  if (zeros.length > 0) return { kind: 'stock', priority: priorities.zeroStock, registers: namesOf(zeros) };
  const prices = pending.filter(([name]) => !isStockRegister(name));
  if (prices.length > 0) {
    const lowered = stock.filter(([name, register]) => !isRaise(listing, name, register));
    const priority = lowered.length > 0 ? priorities.priceOverLowered : priorities.price;
    if (!pricesHeld) return { kind: 'price', priority, registers: namesOf(prices) };
    return lowered.length > 0 ? { kind: 'stock', priority, registers: namesOf(lowered) } : undefined;
  }
  if (stock.length > 0) return { kind: 'stock', priority: priorities.stock, registers: namesOf(stock) };
  return undefined;
}

/**
 * Keeps `waitingSince` true to what waits: set when the first value begins to, gone when none does. `notBefore` goes
 * when it is over and no sooner, also where nothing waits: a request of unknown outcome may land until then, and must not
 * land after the next value. A backoff is only for what waits. `now` is epoch ms.
 */
export function withWaiting(
  { waitingSince, notBefore, backoffUntil, ...rest }: Listing,
  now: number,
): Listing {
  const held = notBefore !== undefined && notBefore > now ? { notBefore } : {};
  if (nextStep(rest) === undefined) return { ...rest, ...held, failures: 0 };
  const backoff = backoffUntil !== undefined && backoffUntil > now ? { backoffUntil } : {};
  // The failures of another row are none of its own.
  const failures = hasUnsentZero(rest) ? 0 : rest.failures;
  return { ...rest, ...held, ...backoff, failures, waitingSince: waitingSince ?? now };
}

/** Epoch ms before which the listing's next step does not leave, whatever waits; `undefined` where there is no such time. */
export function notBeforeOf(listing: Listing): number | undefined {
  const { notBefore, backoffUntil } = listing;
  if (backoffUntil === undefined || hasUnsentZero(listing)) return notBefore;
  return Math.max(notBefore ?? 0, backoffUntil);
}

/** No row of its own was refused: it does not wait for that of another. */
function hasUnsentZero(listing: Listing): boolean {
  const { desired, sent } = listing;
  const step = nextStep(listing);
  if (step?.priority !== priorities.zeroStock) return false;
  return step.registers.some((name) => !isSameValue(sent[name], desired[name]));
}

/** Epoch ms from which the listing's next step may be sent. */
export function readyAt(listing: Listing): number {
  return Math.max(listing.waitingSince ?? 0, notBeforeOf(listing) ?? 0);
}

/**
 * The place of a listing among those of its store that wait: priority, then the time from which it may be sent, so that one
 * range reads what is due, the oldest first. `undefined` when nothing waits.
 */
export function waitingKey(listing: Listing): string | undefined {
  const step = nextStep(listing);
  return step === undefined ? undefined : formatWaitingKey(step.priority, readyAt(listing));
}

/** `{priority}#{epoch ms, 15 digits}` */
export function formatWaitingKey(priority: Priority, time: number): string {
  return `${priority}#${String(time).padStart(15, '0')}`;
}

function namesOf(entries: readonly (readonly [RegisterName, Register])[]): RegisterName[] {
  return entries.map(([name]) => name);
}

/**
 * Whether a stock value is above what the marketplace may show. What is not known counts as less: what was never
 * accepted, and values in between, as any one of them may have been applied.
 */
export function isRaise(
  { settled }: Listing,
  name: RegisterName,
  { value, lowest }: DesiredRegister,
): boolean {
  const accepted = lastAccepted(settled[name])?.value;
  return typeof accepted !== 'number' || (value ?? 0) > Math.min(accepted, lowest ?? accepted);
}
