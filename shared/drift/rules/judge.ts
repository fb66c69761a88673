import {
  type DesiredRegister,
  isSameValue,
  type Listing,
  type RegisterName,
  registerEntries,
} from '../../listings/model.ts';
import type { EpochMs, IsoTime } from '../../time/times.ts';
import type { Drift, OpenDrift, RegisterDrift, ShownValues } from '../model.ts';
import { type Difference, differencesOf, type ReadTime, standingOf } from './compare.ts';

/** A register is contested after this many relapses in a row. */
const MOST_RELAPSES = 3;

/** The values that a read of one product showed, and whether drift is repaired. */
export interface Look extends ReadTime {
  readonly shown: ShownValues;
  /** When the cycle of the read began. One cycle may show a product twice. */
  readonly cycleBeganAt: EpochMs;
  /** Whether drift is repaired. */
  readonly repairs: boolean;
}

/** An event of one register. */
export interface Finding extends Omit<OpenDrift, 'version' | 'rearmedAt'> {
  readonly register: RegisterName;
}

/** The events of a register. */
export const outcomes = ['drifted', 'repaired', 'contested'] as const;
type Outcome = (typeof outcomes)[number];

/** The result of a read of one listing's product. */
export interface Verdict extends Readonly<Record<Outcome, readonly Finding[]>> {
  /** The new record; `undefined` if there is no drift. */
  readonly drift: Drift | undefined;
  /** Registers to mark as waiting. */
  readonly rearm: readonly RegisterName[];
}

interface RegisterVerdict {
  readonly next?: RegisterDrift | undefined;
  readonly outcome?: Outcome;
  readonly finding?: OpenDrift;
  readonly rearm?: boolean;
}

/**
 * Compares a listing with the values that a read of its product showed, and with its earlier drift. A register that drifts
 * again in the cycle after its repair, three times in a row, is contested: it is not repaired until a person decides, or
 * until its wanted value is live.
 */
export function judge(listing: Listing, before: Drift | undefined, look: Look): Verdict {
  const differences = new Map(differencesOf(listing, look.shown, look).map((one) => [one.register, one]));
  const names = new Set(
    [...registerEntries(listing.desired), ...registerEntries(before?.registers ?? {})].map(([name]) => name),
  );
  const judged = [...names].map((register) => ({
    register,
    ...judgeRegister(listing, register, before?.registers[register], differences.get(register), look),
  }));
  const findings = (wanted: Outcome) =>
    judged.flatMap(({ register, outcome, finding }): Finding[] => {
      if (outcome !== wanted || finding === undefined) return [];
      const { wanted: value, live, since } = finding;
      return [{ register, wanted: value, live, since }];
    });
  return {
    drift: driftOf(listing, Object.fromEntries(judged.map(({ register, next }) => [register, next]))),
    drifted: findings('drifted'),
    repaired: findings('repaired'),
    contested: findings('contested'),
    rearm: judged.flatMap(({ register, rearm = false }) => (rearm ? [register] : [])),
  };
}

function judgeRegister(
  listing: Listing,
  name: RegisterName,
  known: RegisterDrift | undefined,
  difference: Difference | undefined,
  look: Look,
): RegisterVerdict {
  const desired = listing.desired[name];
  const standing = standingOf(listing, name, look);
  if (standing === 'waits') return { next: known };
  if (standing === 'given up' || desired === undefined) return {};
  if (difference === undefined) return judgeEqual(known, look);
  if (known?.contestedSince !== undefined) return { next: stillContested(known, difference, desired) };
  const acceptedAt = Date.parse(listing.settled[name]?.at ?? '');
  return judgeDifferent(known, { ...difference, desired, acceptedAt }, look);
}

function judgeEqual(known: RegisterDrift | undefined, { readAt, cycleBeganAt }: Look): RegisterVerdict {
  if (known?.open !== undefined) {
    const { relapses, open } = known;
    return { next: { relapses, repairedAt: readAt }, outcome: 'repaired', finding: open };
  }
  const { repairedAt = Number.NEGATIVE_INFINITY } = known ?? {};
  return repairedAt >= cycleBeganAt ? { next: known } : {};
}

/** A contested register is not repaired: only its wanted and its live value are kept up to date. */
function stillContested(
  known: RegisterDrift,
  { wanted, live }: Difference,
  { version }: DesiredRegister,
): RegisterDrift {
  return known.open === undefined ? known : { ...known, open: { ...known.open, wanted, version, live } };
}

function judgeDifferent(
  known: RegisterDrift | undefined,
  { wanted, live, desired, acceptedAt }: Difference & { desired: DesiredRegister; acceptedAt: EpochMs },
  look: Look,
): RegisterVerdict {
  const { readAt, repairs } = look;
  const { version } = desired;
  const isKnown = known?.open?.version === version && known.open.wanted === wanted;
  const since = isKnown && known.open ? known.open.since : new Date(readAt).toISOString();
  const open: OpenDrift = { wanted, version, live, since, ...(repairs && { rearmedAt: readAt }) };
  const { rearmedAt } = known?.open ?? {};
  /** Whether the earlier drift was repaired: the value was accepted again since, or the drift is no longer open. */
  const wasRepaired = isKnown ? rearmedAt !== undefined && acceptedAt > rearmedAt : !known?.open;
  const isRelapse = known !== undefined && wasRepaired;
  const relapses = (known?.relapses ?? 0) + (isRelapse ? 1 : 0);
  if (relapses >= MOST_RELAPSES) {
    const contestedSince = new Date(readAt).toISOString();
    return { next: { open, relapses, contestedSince }, outcome: 'contested', finding: open };
  }
  const next = { open, relapses };
  if (isKnown) return { next, rearm: repairs };
  return { next, outcome: 'drifted', finding: open, rearm: repairs };
}

function driftOf(
  { storeClientId, target }: Listing,
  registers: Partial<Record<RegisterName, RegisterDrift | undefined>>,
): Drift | undefined {
  const kept = registerEntries(registers).filter(([, register]) => register !== undefined);
  return kept.length === 0 ? undefined : { storeClientId, target, registers: Object.fromEntries(kept) };
}

/**
 * The record of a listing whose product a whole cycle did not show. The product is missing after two such cycles in a row: one cycle may
 * miss it because it moved to a page that was already read. Times are ISO 8601.
 */
export function notShownDrift(
  { storeClientId, target }: Pick<Listing, 'storeClientId' | 'target'>,
  before: Drift | undefined,
  { startedAt, now }: { readonly startedAt: IsoTime; readonly now: IsoTime },
): Drift {
  if (before?.notShownSince === undefined)
    return { registers: {}, ...before, storeClientId, target, notShownSince: startedAt };
  const { notShownSince, missingSince = now } = before;
  return { storeClientId, target, registers: {}, notShownSince, missingSince };
}

/** Whether the product of a listing should exist: the marketplace has accepted a value, and no value waits. */
export function shouldBeLive(listing: Listing, time: ReadTime): boolean {
  const standings = registerEntries(listing.desired).map(([name, desired]) => {
    const standing = standingOf(listing, name, time);
    // If each warehouse has its own stock, the global stock is settled without being sent.
    return standing === 'compared' && !isSameValue(listing.sent[name], desired) ? 'given up' : standing;
  });
  return standings.includes('compared') && !standings.includes('waits');
}
