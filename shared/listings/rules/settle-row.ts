import {
  type Listing,
  type Registers,
  registerEntries,
  type SettledRegister,
  type VersionKind,
} from '../model.ts';
import { compareRegisters, lastAccepted } from './registers.ts';
import { backedOff, isPending, withNotBefore, withWaiting } from './waiting.ts';

/** Code of a value that an operator dropped. */
export const DISCARDED = 'DISCARDED';

/** How far the clocks of two functions may differ. */
const CLOCK_MARGIN_MS = 1_000;

/** What a row carried, and when its request was signed (epoch ms). */
export interface SentRow {
  readonly registers: Registers;
  /** Of its versions; default: the listing's. */
  readonly versionKind?: VersionKind;
  readonly signedAt: number;
}

/** The outcome of a row that was sent. Times are epoch ms. */
export type RowOutcome =
  | { readonly outcome: 'accepted' }
  /** Not sent again until its value changes or its target is created. */
  | { readonly outcome: 'rejected'; readonly code: string }
  /** Refused for now: kept, and sent again with the newest value from `notBefore` on. */
  | { readonly outcome: 'retryable'; readonly notBefore: number }
  /** May have been applied, or may yet be: nothing of the target leaves before `notBefore`, the end of the attempt's life. */
  | { readonly outcome: 'unknown'; readonly notBefore: number };

/**
 * Writes a row's outcome into its listing as it stands now, which may have newer values than the row had: those go on
 * waiting. An outcome never replaces one of a newer value, and does not touch `notBefore`: where it comes late, that is of
 * another request.
 */
export function settleRow(current: Listing, row: SentRow, outcome: RowOutcome, now: number): Listing {
  const listing = { ...current, sent: { ...current.sent, ...sentOf(current, row) } };
  if (outcome.outcome === 'retryable') {
    return withWaiting({ ...backedOff(listing, outcome.notBefore), failures: listing.failures + 1 }, now);
  }
  if (outcome.outcome === 'unknown') return withWaiting(withNotBefore(listing, outcome.notBefore), now);
  if (isOutdated(current, row)) return withWaiting(listing, now);
  return waitingAnew(settleRegisters(listing, row.registers, outcome, now), row);
}

/**
 * Where all that waits now are newer values of what the row carried, they have waited since it was signed at most. Without
 * it a target that always has a newer value would come before all others for ever.
 */
function waitingAnew(listing: Listing, { registers, signedAt }: SentRow): Listing {
  const { waitingSince } = listing;
  const isOfRow = registerEntries(listing.desired).every(
    ([name, register]) => registers[name] !== undefined || !isPending(listing, name, register),
  );
  if (waitingSince === undefined || !isOfRow) return listing;
  return { ...listing, waitingSince: Math.max(waitingSince, signedAt) };
}

/**
 * Settles registers of a listing without a row of their own: nothing need be sent for them.
 */
export function settleRegisters(
  listing: Listing,
  registers: Registers,
  outcome: Extract<RowOutcome, { outcome: 'accepted' | 'rejected' }>,
  now: number,
): Listing {
  const at = new Date(now).toISOString();
  const settled: Listing['settled'] = { ...listing.settled };
  for (const [name, { value, version }] of registerEntries(registers)) {
    const register = { value, version };
    const known = settled[name];
    const order = known === undefined ? -1 : compareRegisters(name, known, register);
    // Nor does a refusal that comes late, of an earlier row, replace that the same value was taken with another one.
    if (order > 0 || (order === 0 && known?.outcome === 'accepted' && outcome.outcome === 'rejected'))
      continue;
    if (listing.desired[name] === undefined) continue;
    settled[name] =
      outcome.outcome === 'accepted'
        ? { ...register, outcome: 'accepted', at }
        : { ...register, outcome: 'rejected', code: outcome.code, at, ...acceptedBefore(known) };
  }
  return withWaiting({ ...listing, settled, failures: 0 }, now);
}

/**
 * Once the marketplace has made the target anew, what it answers to rows that were signed before says nothing of it, nor
 * does the outcome of a row whose versions were of another kind.
 */
function isOutdated({ createdAt, versionKind }: Listing, row: SentRow): boolean {
  return (
    (createdAt !== undefined && createdAt + CLOCK_MARGIN_MS >= row.signedAt) ||
    versionKind !== (row.versionKind ?? versionKind)
  );
}

/** Row errors that say that the target does not exist (spec §7): they hold until it is created. */
const missingTargetCodes: ReadonlySet<string> = new Set(['INV_001', 'INV_002', 'PRD_016']);

/** A creation of a target that the marketplace has taken. Times are epoch ms. */
export interface Creation {
  /** The creation's own, as the partner gave it: its values are as old. Any integer version is newer. */
  readonly time: number;
  /** When it was known that the marketplace has taken it; the same whenever it is said again. */
  readonly at: number;
}

/**
 * Has everything wait again that the marketplace does not show now that it has made the target, with the creation's own
 * values: each register that is newer than the creation, whatever was settled before, and what was rejected for want
 * of the target. What was discarded stays so. Said again of the same creation, it only concerns what was rejected.
 * `now` is epoch ms.
 */
export function rearm(listing: Listing, { time, at }: Creation, now: number): Listing {
  const { createdAt = 0, versionKind } = listing;
  const isNewer = (version: number) => at > createdAt && (versionKind === 'integer' || version > time);
  const settled = Object.fromEntries(
    registerEntries(listing.settled).filter(
      ([, { version, code = '' }]) =>
        code === DISCARDED || !(isNewer(version) || missingTargetCodes.has(code)),
    ),
  );
  return withWaiting({ ...listing, settled, createdAt: Math.max(createdAt, at) }, now);
}

function sentOf({ desired }: Listing, { registers, signedAt }: SentRow): Listing['sent'] {
  const at = new Date(signedAt).toISOString();
  return Object.fromEntries(
    registerEntries(registers)
      .filter(([name]) => desired[name] !== undefined)
      .map(([name, { value, version }]) => [name, { value, version, at }]),
  );
}

function acceptedBefore(known: SettledRegister | undefined): Pick<SettledRegister, 'acceptedBefore'> {
  const accepted = lastAccepted(known);
  if (accepted === undefined) return {};
  const { value, version, at } = accepted;
  return { acceptedBefore: { value, version, at } };
}
