import type { Clock } from '../time/clock.ts';
import type { EpochMs } from '../time/times.ts';
import { permitWait } from '../time/waits.ts';
import { changeLimit, type LimiterPorts, type LimitPart, limitParts, readLimit } from './limit-part.ts';
import { isRestoring, type LimitSettings, type Stop, spacingMs } from './model.ts';
import type { LimitChange, LimitCondition, NoPlace, Permit, Permits, Place, PlaceRequest } from './ports.ts';
import { giveBackPermit, MAX_TRIES, stopLanes } from './slow-down.ts';

/** Limits the rate and the requests in flight of all functions together (P6). */
export interface Limiter extends Permits {
  /** Whether the tables are restored tables, and nothing is sent from them yet. */
  isRestored(): Promise<boolean>;
  /** Stops the lanes until any request succeeds. One lane tries from time to time. */
  stop(refusal: { code: string; message: string }): Promise<void>;
}

/** A request takes its permit this long before the time of its place. README.md has the steps before it. */
const TAKEN_BEFORE_MS = 40;

/**
 * A limiter over items of the Limits table; each item has a part of the limit. A request writes one item three times: to reserve its
 * time, to take its permit, and to give the permit back. The limiter only spaces the reserved times: a request that leaves late
 * is closer to the next one. The marketplace may then answer 429, which is rare, and which all callers handle.
 *
 * @param limitIds IDs of the items, see `limitIdsOf`.
 */
export function createLimiter(
  ports: LimiterPorts,
  settings: LimitSettings,
  limitIds: readonly string[],
): Limiter {
  const parts = limitParts(ports, settings, limitIds);
  // Each process begins with a random part. Each request begins with the next one.
  let first = Math.floor(ports.random() * parts.length);
  const inTurn = () => {
    first = (first + 1) % parts.length;
    return [...parts.slice(first), ...parts.slice(0, first)];
  };
  return {
    reserve: async (request) =>
      !request.isRead && (await isRestored(parts))
        ? { reason: 'restored', retryAt: ports.clock.now() + settings.stopMs }
        : reserveInOne(inTurn(), request),
    isRestored: () => isRestored(parts),
    stop: async (refusal) => {
      await Promise.all(parts.map((part) => stopLanes(part, refusal)));
    },
  };
}

/** Reads the item only until sending has resumed: then it never changes back. */
async function isRestored([first]: readonly LimitPart[]): Promise<boolean> {
  if (first === undefined) return false;
  const { restoredTables } = first.settings;
  return isRestoring(first.seen, restoredTables) && isRestoring(await readLimit(first), restoredTables);
}

/** A place of the first part that has one. */
async function reserveInOne(parts: readonly LimitPart[], request: PlaceRequest): Promise<Place | NoPlace> {
  let soonest: NoPlace | undefined;
  for (const part of parts) {
    const place = await reserveIn(part, request);
    if (!('reason' in place) || place.reason === 'stopped') return place;
    if (soonest === undefined || place.retryAt < soonest.retryAt) soonest = place;
  }
  return soonest ?? { reason: 'busy', retryAt: request.until };
}

async function reserveIn(
  part: LimitPart,
  { until, preparationMs = TAKEN_BEFORE_MS, heedsStop = false }: PlaceRequest,
): Promise<Place | NoPlace> {
  const { clock } = part;
  // Computed once for all tries: other processes only move the next place to later times.
  const earliest = Math.ceil(clock.now() + preparationMs);
  /** The stop that this caller tries to end. */
  let trialOf: Stop | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const isQueue = part.seen.nextSlotAt >= earliest;
    const room = spacingMs(part.seen, part.settings, Math.max(part.seen.nextSlotAt, earliest));
    const where: LimitCondition[] = [['slowedAt', '=', part.seen.slowedAt]];
    if (heedsStop && trialOf === undefined) where.push(['stop', 'absent']);
    const taken = await changeLimit(
      part,
      isQueue
        ? {
            where: [...where, ['nextSlotAt', '>=', earliest], ['nextSlotAt', '<=', until]],
            add: { nextSlotAt: room },
          }
        : { where: [...where, ['nextSlotAt', '<', earliest]], set: { nextSlotAt: earliest + room } },
    );
    if (taken !== undefined) {
      const { nextSlotAt: next } = taken;
      return placeOf(part, { at: isQueue ? Math.ceil(next - room) : earliest, next, heedsStop, trialOf });
    }
    const { nextSlotAt, stop } = await readLimit(part);
    const now = clock.now();
    if (nextSlotAt > until) return noPlace(part, now + nextSlotAt - until);
    if (heedsStop && stop !== undefined && stop.retryAt > now)
      return { reason: 'stopped', retryAt: stop.retryAt };
    trialOf = heedsStop ? stop : undefined;
  }
  return noPlace(part, clock.now());
}

function noPlace({ clock, random }: LimitPart, freeAt: EpochMs): NoPlace {
  const again = clock.now() + permitWait.againMs * (0.5 + random());
  return { reason: 'busy', retryAt: Math.max(freeAt, again) };
}

interface Reserved {
  readonly at: EpochMs;
  /** The time of the next place. */
  readonly next: EpochMs;
  readonly heedsStop: boolean;
  readonly trialOf: Stop | undefined;
}

function placeOf(part: LimitPart, reserved: Reserved): Place {
  const { at, next } = reserved;
  let isUsed = false;
  return {
    at,
    giveBack: async () => {
      if (!isUsed) await changeLimit(part, { where: [['nextSlotAt', '=', next]], set: { nextSlotAt: at } });
    },
    begin: async (signal) => {
      await sleepUntil(part.clock, at - TAKEN_BEFORE_MS, signal);
      // A lost place is not given back: while no permit is free, the caller would get the same place again at once.
      isUsed = true;
      const permitId = part.newId();
      if (!(await take(part, permitId, reserved))) return undefined;
      return permitAt(part, permitId, at, signal);
    },
  };
}

/** Waits for the time of a request that has its permit. */
async function permitAt(
  part: LimitPart,
  permitId: string,
  at: EpochMs,
  signal: AbortSignal | undefined,
): Promise<Permit> {
  const release: Permit['release'] = (outcome) => giveBackPermit(part, permitId, outcome, at);
  try {
    await sleepUntil(part.clock, at, signal);
    return { release };
  } catch (error) {
    await release({ unused: true });
    throw error;
  }
}

async function sleepUntil(clock: Clock, at: EpochMs, signal?: AbortSignal): Promise<void> {
  const ms = at - clock.now();
  if (ms > 0) await clock.sleep(ms, signal);
}

/** Takes a permit. If none is free, removes an expired permit of a killed function first. Returns whether the permit was taken. */
async function take(part: LimitPart, permitId: string, reserved: Reserved): Promise<boolean> {
  const now = part.clock.now();
  const wanted = takingOf(part.settings, permitId, reserved, now);
  if (await putPermit(part, permitId, wanted)) return true;
  const { permits } = part.seen;
  const expired = Object.keys(permits).find((id) => (permits[id] ?? 0) <= now);
  if (expired === undefined) return false;
  await changeLimit(part, { permits: { [expired]: undefined } });
  return putPermit(part, permitId, wanted);
}

/**
 * Writes a permit. The SDK repeats a write whose answer was lost. The condition of the repeated write may fail although the first one
 * took the permit.
 *
 * @returns whether the permit is taken
 */
async function putPermit(part: LimitPart, permitId: string, wanted: LimitChange): Promise<boolean> {
  if ((await changeLimit(part, wanted)) !== undefined) return true;
  return permitId in (await readLimit(part)).permits;
}

function takingOf(
  { requestsInFlight, permitLifetimeMs, stopMs }: LimitSettings,
  permitId: string,
  { at, heedsStop, trialOf }: Reserved,
  now: EpochMs,
): LimitChange {
  const where: LimitCondition[] = [
    ['permits', 'fewer than', requestsInFlight],
    ['pausedUntil', '<=', at],
  ];
  // The next trial is set here and not with the place: a lane that gives its place back has not tried the credentials.
  if (trialOf !== undefined) where.push(['stop.retryAt', '=', trialOf.retryAt]);
  else if (heedsStop) where.push(['stop', 'absent']);
  return {
    where,
    permits: { [permitId]: at + permitLifetimeMs },
    ...(trialOf !== undefined && { set: { stop: { ...trialOf, retryAt: now + stopMs } } }),
  };
}
