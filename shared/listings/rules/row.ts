import { type RequestAttempt, withFailedTry } from '../../attempts/model.ts';
import { definedOf } from '../../collections/defined-of.ts';
import type { PriceItem, StockItem } from '../../marketplace/offer-rows.ts';
import type { EpochMs } from '../../time/times.ts';
import { CLOCK_MARGIN_MS } from '../../time/waits.ts';
import {
  compareRegisters,
  DISCARDED,
  isReadAtMarketplace,
  isSameValue,
  isStockRegister,
  type Listing,
  lastAccepted,
  MISSING_TARGET_CODES,
  type RegisterName,
  type Registers,
  registerEntries,
  registersWithout,
  type SentRegister,
  type SettledRegister,
  type VersionKind,
  warehouseOf,
} from '../model.ts';
import { fieldsOfListing, fieldsOfTarget } from './target.ts';
import { isPending, type Step, withWaiting } from './waiting.ts';

/** A row, with the registers that its outcome settles. */
interface RenderedRow<Row> {
  readonly row: Row;
  readonly registers: Registers;
}

/** Whether the row needs the store's list of warehouses: it has the global stock, and some warehouse has a newer stock. */
export function needsStoreWarehouses({ desired }: Listing, { registers }: Step): boolean {
  const hasOwn = registerEntries(desired).some(([name]) => warehouseOf(name) !== undefined);
  return hasOwn && registers.includes('stock');
}

/**
 * Renders a stock step. The row is global only if no warehouse of the store has a value of its own. Otherwise each warehouse has an
 * entry, so that the global value never overwrites a newer value; a warehouse without a value of its own gets the global value.
 *
 * @param storeWarehouses used only if `needsStoreWarehouses`.
 * @returns no `row` if there is nothing to send: every warehouse has a newer value of its own.
 */
export function renderStockRow(
  listing: Listing,
  step: Step,
  storeWarehouses: readonly string[],
): RenderedRow<StockItem | undefined> {
  const registers = pick(listing.desired, step.registers);
  const target = fieldsOfListing(listing);
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
 * Renders a price step. The row always has the price. It has the special price if one is known (`null` clears it); if not, the
 * marketplace keeps its special price. A discarded value is not sent. Every row needs a price, so a discarded price is replaced by
 * the price accepted before it, or by the price last seen. A rejected value is sent again, since the other value may have been the
 * cause. A price that was read at the marketplace is sent once; after that, the row has the price that the last read showed.
 */
export function renderPriceRow(listing: Listing): RenderedRow<PriceItem> {
  const { desired, settled, live } = listing;
  const names = (['price', 'specialPrice'] as const).filter((name) => !isDiscarded(listing, name));
  const registers = pick(desired, names);
  const before = settled.price?.acceptedBefore?.value ?? live?.values.price;
  const wasRead =
    desired.price && isReadAtMarketplace(desired.price) && !isPending(listing, 'price', desired.price);
  const later = wasRead ? live?.values.price : undefined;
  const price = later ?? registers.price?.value ?? before ?? desired.price?.value ?? 0;
  const special = registers.specialPrice && { specialPrice: registers.specialPrice.value };
  return { row: { ...fieldsOfTarget(listing.target), price, ...special }, registers };
}

/** Whether an operator discarded a register's newest value. */
export function isDiscarded({ desired, settled }: Listing, name: RegisterName): boolean {
  return settled[name]?.code === DISCARDED && isSameValue(settled[name], desired[name]);
}

function pick(registers: Registers, names: readonly RegisterName[]): Registers {
  return Object.fromEntries(registerEntries(registers).filter(([name]) => names.includes(name)));
}

/** The registers of a sent row, and when its request was signed (epoch ms). */
export interface SentRow {
  readonly registers: Registers;
  /** Kind of the registers' versions. Default: the listing's. */
  readonly versionKind?: VersionKind;
  readonly signedAt: EpochMs;
  /** Absent until the answer is known. */
  readonly batchId?: string | undefined;
  /** The failed try, if the row was refused for now or its outcome is unknown. */
  readonly attempt?: RequestAttempt | undefined;
  /** The `id` of the product, as the answer has it. */
  readonly productId?: string | undefined;
}

/** The outcome of a row that was sent. Times are epoch ms. */
export type SentRowOutcome =
  | { readonly outcome: 'accepted' }
  /** The row is not sent again until its value changes or its target is created. */
  | { readonly outcome: 'rejected'; readonly code: string }
  /** Refused for now. The newest value is sent again at `backoffUntil` or later. */
  | { readonly outcome: 'retryable'; readonly backoffUntil: EpochMs }
  /**
   * The row may have been applied, or may be applied until `notBefore`. No value of the target is sent earlier. `backoffUntil`: set
   * for a row that may be the cause, as after `retryable`.
   */
  | { readonly outcome: 'unknown'; readonly notBefore: number; readonly backoffUntil?: EpochMs };

/**
 * Writes a row's outcome into the current listing. Values newer than the row's continue to wait. An outcome never replaces
 * the outcome of a newer value. A known outcome does not change `notBefore`, which may belong to a later request.
 */
export function settleRow(current: Listing, row: SentRow, outcome: SentRowOutcome, now: EpochMs): Listing {
  const sent = { ...current.sent, ...sentOf(current, row) };
  const listing = { ...current, sent, ...definedOf({ productId: row.productId ?? current.productId }) };
  const { notBefore = 0 } = listing;
  const failed = row.attempt ? { ...listing, tries: withFailedTry(listing.tries, row.attempt) } : listing;
  if (outcome.outcome === 'retryable') return withWaiting(backedOff(failed, outcome.backoffUntil), now);
  if (outcome.outcome === 'unknown') {
    const next = outcome.backoffUntil === undefined ? failed : backedOff(failed, outcome.backoffUntil);
    return withWaiting({ ...next, notBefore: Math.max(notBefore, outcome.notBefore) }, now);
  }
  if (isOutdated(current, row)) return withWaiting(listing, now);
  if (isForOneOfSeveral(outcome, row)) {
    // Forget that the values were sent, so that no value waits for the back-off of another value.
    const sent = registersWithout(current.sent, Object.keys(row.registers) as RegisterName[]);
    return withWaiting({ ...listing, sent, oneAtATime: true }, now);
  }
  return waitingAnew(settleRegisters(listing, row.registers, outcome, now), row);
}

function backedOff(listing: Listing, until: EpochMs): Listing {
  const { backoffUntil = 0, failures } = listing;
  return { ...listing, backoffUntil: Math.max(backoffUntil, until), failures: failures + 1 };
}

/** Whether a rejected row has several stock values, and maybe only one of them is at fault. */
export function isForOneOfSeveral(
  outcome: SentRowOutcome,
  { registers }: Pick<SentRow, 'registers'>,
): boolean {
  if (outcome.outcome !== 'rejected' || MISSING_TARGET_CODES.has(outcome.code)) return false;
  return registerEntries(registers).filter(([name]) => isStockRegister(name)).length > 1;
}

/**
 * If only newer values of the row's registers wait, their waiting time starts at the row's signature. Otherwise a target
 * that always has a newer value would always be sent before all others.
 */
function waitingAnew(listing: Listing, { registers, signedAt }: SentRow): Listing {
  const { waitingSince } = listing;
  const isOfRow = registerEntries(listing.desired).every(
    ([name, register]) => registers[name] !== undefined || !isPending(listing, name, register),
  );
  if (waitingSince === undefined || !isOfRow) return listing;
  return { ...listing, waitingSince: Math.max(waitingSince, signedAt) };
}

/** Settles registers, even if no row was sent for them. */
export function settleRegisters(
  listing: Listing,
  registers: Registers,
  outcome: Extract<SentRowOutcome, { outcome: 'accepted' | 'rejected' }>,
  now: EpochMs,
): Listing {
  const at = new Date(now).toISOString();
  const settled: Listing['settled'] = { ...listing.settled };
  for (const [name, { value, version }] of registerEntries(registers)) {
    if (listing.desired[name] === undefined) continue;
    const register = { value, version, at };
    const known = settled[name];
    const order = known === undefined ? -1 : compareRegisters(name, known, register);
    if (known !== undefined && order > 0) {
      settled[name] = withEarlier(name, known, register, outcome);
      continue;
    }
    // A late refusal of an earlier row does not replace an acceptance or a discard of the same value.
    if (order === 0 && outcome.outcome === 'rejected') continue;
    const before = outcome.outcome === 'rejected' ? acceptedBefore(known) : {};
    settled[name] = { ...register, ...outcome, ...before };
  }
  const { tries: _, ...answered } = listing;
  return withWaiting({ ...answered, settled, failures: 0 }, now);
}

/**
 * Whether a row's outcome says nothing about the listing: the product was created after the row was signed, or the row had
 * another kind of version.
 */
function isOutdated({ createdAt, versionKind }: Listing, row: SentRow): boolean {
  return (
    (createdAt !== undefined && createdAt + CLOCK_MARGIN_MS >= row.signedAt) ||
    versionKind !== (row.versionKind ?? versionKind)
  );
}

function sentOf({ desired }: Listing, { registers, signedAt, batchId }: SentRow): Listing['sent'] {
  const at = new Date(signedAt).toISOString();
  return Object.fromEntries(
    registerEntries(registers)
      .filter(([name]) => desired[name] !== undefined)
      .map(([name, { value, version }]) => [name, { value, version, at, ...definedOf({ batchId }) }]),
  );
}

/**
 * A newer settled value after a late outcome of an earlier value. If the newer value was rejected and the earlier one accepted, the
 * marketplace shows the earlier value.
 */
function withEarlier(
  name: RegisterName,
  known: SettledRegister,
  earlier: SentRegister,
  { outcome }: Pick<SettledRegister, 'outcome'>,
): SettledRegister {
  if (outcome !== 'accepted' || known.outcome !== 'rejected') return known;
  const before = known.acceptedBefore;
  const isNewer = before === undefined || compareRegisters(name, before, earlier) < 0;
  return isNewer ? { ...known, acceptedBefore: earlier } : known;
}

function acceptedBefore(known: SettledRegister | undefined): Pick<SettledRegister, 'acceptedBefore'> {
  const accepted = lastAccepted(known);
  if (accepted === undefined) return {};
  const { value, version, at } = accepted;
  return { acceptedBefore: { value, version, at } };
}
