import type { NoPlace, Permit, PermitOutcome, Permits, Place, PlaceRequest } from '../marketplace/options.ts';
import type { Clock } from '../time/clock.ts';
import { changeLimit, type LimiterPorts, type LimitPart, limitParts, readLimit } from './limit-part.ts';
import { type LimitChange, type LimitCondition, type LimitSettings, type Stop, spacingMs } from './model.ts';
import { giveBackPermit, MAX_TRIES, stopLanes } from './slow-down.ts';

/** Rules for one kind of caller. */
export interface CallerOptions {
  /** Whether a stop of the lanes concerns this caller. The first such caller after the stop's time tries again. Default `false`. */
  readonly heedsStop?: boolean;
  /** Whether to leave the last permit to others. Default `false`. */
  readonly leavesOne?: boolean;
}

/** Limits the rate and the requests in flight of all functions together (P6). */
export interface Limiter {
  permits(options?: CallerOptions): Permits;
  /** Stops the lanes until any request succeeds. One lane tries from time to time. */
  stop(refusal: { code: string; message: string }): Promise<void>;
}

/** Milliseconds before a request's time to take its permit. */
const TAKING_MS = 40;
/** Milliseconds. A request that is sent later than its time by more is too close to the next ones. */
const LATE_MS = 20;
/** Milliseconds. Such a request moves the next ones back. One that is later by more than this loses its place. */
const TOO_LATE_MS = 750;
/** Milliseconds in which requests are counted: later places need not be moved. */
const WINDOW_MS = 1_000;
/** A process that has sent nothing for so many milliseconds has no open connection. */
const COLD_AFTER_MS = 3_000;
/**
 * Milliseconds that a new connection may delay a request. The room of one request is enough: a late request adds one to
 * those that are counted with it.
 */
const COLD_ROOM_MS = 200;
/** Milliseconds, jittered by half, after which a process that found no place asks again. */
const ASK_AGAIN_MS = 1_000;
/** Most expired permits removed by one write: DynamoDB takes expressions of 4 KB. */
const MOST_REMOVED = 50;
/** Milliseconds that lateness has added from which tables are slow. */
const SLOW_MS = 200;
/** Most milliseconds that lateness adds to the preparation of a request. */
const MOST_SLOWNESS_MS = 5_000;

/**
 * The limiter over items of the Limits table, each with a part of the limit. A request writes one item three times, with a
 * condition each: to reserve its time, to take its permit, and to give it back.
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
    permits: (options = {}) => ({ reserve: (request) => reserveInOne(inTurn(), request, options) }),
    stop: async (refusal) => {
      await Promise.all(parts.map((part) => stopLanes(part, refusal)));
    },
  };
}

/** A place of the first part that has one. */
async function reserveInOne(
  parts: readonly LimitPart[],
  request: PlaceRequest,
  options: CallerOptions,
): Promise<Place | NoPlace> {
  let soonest: NoPlace | undefined;
  for (const part of parts) {
    const place = await reserve(part, request, options);
    if (!('reason' in place) || place.reason === 'stopped') return place;
    if (soonest === undefined || place.retryAt < soonest.retryAt) soonest = place;
  }
  return soonest ?? { reason: 'busy', retryAt: request.until };
}

async function reserve(
  part: LimitPart,
  { until, preparationMs = 0 }: PlaceRequest,
  options: CallerOptions,
): Promise<Place | NoPlace> {
  const { clock } = part;
  if (clock.now() < part.noPlaceUntil) return { reason: 'busy', retryAt: part.noPlaceUntil };
  const neededMs = preparationMs + TAKING_MS + part.process.slownessMs;
  // The same in all tries: other processes only move the next place to later times.
  const earliest = Math.ceil(clock.now() + neededMs);
  /** The stop that this caller tries to end. */
  let trialOf: Stop | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = clock.now();
    const isQueue = part.seen.nextSlotAt >= earliest;
    // Tried once, and not while tables are slow: a try that fails takes its time.
    const isFree = tries === 0 && part.seen.nextSlotAt <= now && part.process.slownessMs < SLOW_MS;
    const spacing = spacingMs(part.seen, part.settings, Math.max(part.seen.nextSlotAt, earliest));
    const isCold = earliest - part.process.usedAt > COLD_AFTER_MS;
    const room = spacing + (isCold ? Math.min(COLD_ROOM_MS, spacing) : 0);
    const where: LimitCondition[] = [['slowedAt', '=', part.seen.slowedAt]];
    if (options.heedsStop && trialOf === undefined) where.push(['stop', 'absent']);
    const taken = await changeLimit(
      part,
      isQueue
        ? {
            where: [...where, ['nextSlotAt', '>=', earliest], ['nextSlotAt', '<=', until]],
            add: { nextSlotAt: room },
          }
        : {
            where: [...where, isFree ? ['nextSlotAt', '<=', now] : ['nextSlotAt', '<', earliest]],
            set: { nextSlotAt: earliest + room },
          },
    );
    if (taken !== undefined) {
      const at = Math.ceil(isQueue ? taken.nextSlotAt - room : earliest);
      part.process.usedAt = Math.max(part.process.usedAt, at);
      return placeOf(part, {
        at,
        isFree,
        next: taken.nextSlotAt,
        // A free place may be used at once.
        prepareAt: (isFree ? now : at) - neededMs,
        slowedAt: taken.slowedAt,
        ...options,
        trialOf,
      });
    }
    const { nextSlotAt, stop } = await readLimit(part);
    if (nextSlotAt > until) return noPlace(part, now + nextSlotAt - until);
    if (options.heedsStop && stop !== undefined && stop.retryAt > now) {
      return { reason: 'stopped', retryAt: stop.retryAt };
    }
    trialOf = options.heedsStop ? stop : undefined;
  }
  return noPlace(part, clock.now());
}

function noPlace(part: LimitPart, freeAt: number): NoPlace {
  const { clock, random } = part;
  part.noPlaceUntil = Math.max(freeAt, clock.now() + ASK_AGAIN_MS * (0.5 + random()));
  return { reason: 'busy', retryAt: part.noPlaceUntil };
}

interface Reserved extends CallerOptions {
  readonly at: number;
  /** Whether no other request had a place until `at` when this one was reserved. */
  readonly isFree: boolean;
  readonly prepareAt: number;
  /** Epoch ms of the next place. */
  readonly next: number;
  /** Time of the last cut of the pace. A later cut takes the place away. */
  readonly slowedAt: number;
  readonly trialOf: Stop | undefined;
}

function placeOf(part: LimitPart, reserved: Reserved): Place {
  const { at, prepareAt, next } = reserved;
  const giveBack = async () => {
    await changeLimit(part, { where: [['nextSlotAt', '=', next]], set: { nextSlotAt: at } });
  };
  return {
    at,
    prepareAt,
    giveBack,
    begin: async (signal) => {
      const permitId = part.newId();
      const sooner = await takeSooner(part, permitId, reserved);
      if (sooner !== undefined) return permitAt(part, permitId, sooner, signal);
      try {
        await sleepUntil(part.clock, at - TAKING_MS - part.process.slownessMs, signal);
      } catch (error) {
        await giveBack();
        throw error;
      }
      if (lateness(part, at) > TOO_LATE_MS || !(await take(part, permitId, reserved))) return undefined;
      return permitAt(part, permitId, at, signal);
    },
  };
}

/**
 * Takes the permit of a free place as soon as its request is prepared, and moves the next place by as much. `undefined` if
 * the place is not free, or others have reserved behind it: then it keeps its time.
 *
 * @returns epoch ms at which the request leaves
 */
async function takeSooner(
  part: LimitPart,
  permitId: string,
  reserved: Reserved,
): Promise<number | undefined> {
  const { at, isFree, next } = reserved;
  const now = part.clock.now();
  const soonAt = Math.ceil(now + TAKING_MS + part.process.slownessMs);
  if (!isFree || soonAt >= at || part.seen.nextSlotAt !== next) return undefined;
  const { where = [], ...wanted } = takingOf(part.settings, permitId, { ...reserved, at: soonAt }, now);
  const isTakenSooner = await isTaken(part, permitId, {
    ...wanted,
    where: [...where, ['nextSlotAt', '=', next]],
    set: { ...wanted.set, nextSlotAt: next - (at - soonAt) },
  });
  return isTakenSooner ? soonAt : undefined;
}

/** Waits for the time of a request that has its permit. `undefined` if it comes too late. */
async function permitAt(
  part: LimitPart,
  permitId: string,
  at: number,
  signal: AbortSignal | undefined,
): Promise<Permit | undefined> {
  let isOut = true;
  const release = async (outcome: PermitOutcome) => {
    if (!isOut) return;
    isOut = false;
    await giveBackPermit(part, permitId, outcome, at);
  };
  try {
    await sleepUntil(part.clock, at, signal);
  } catch (error) {
    await release({ unused: true });
    throw error;
  }
  const lateMs = lateness(part, at);
  if (lateMs <= LATE_MS || (await pushOthers(part, at, lateMs))) return { release };
  await release({ unused: true });
  return undefined;
}

/** Milliseconds since `at`. Adapts the preparation time of later requests. */
function lateness(part: LimitPart, at: number): number {
  const lateMs = part.clock.now() - at;
  if (lateMs > LATE_MS)
    part.process.slownessMs = Math.min(MOST_SLOWNESS_MS, part.process.slownessMs + lateMs);
  else if (lateMs >= 0) part.process.slownessMs *= 0.9;
  return lateMs;
}

/** Moves places that are not reserved yet to later times, behind a late request. */
async function pushOthers(part: LimitPart, at: number, lateMs: number): Promise<boolean> {
  if (lateMs > TOO_LATE_MS) return false;
  const pushed = { nextSlotAt: Math.min(lateMs + LATE_MS, spacingMs(part.seen, part.settings, at)) };
  const where = [['nextSlotAt', '<=', at + WINDOW_MS]] as const;
  return (await changeLimit(part, { where, add: pushed })) !== undefined;
}

async function sleepUntil(clock: Clock, at: number, signal?: AbortSignal): Promise<void> {
  const ms = at - clock.now();
  if (ms > 0) await clock.sleep(ms, signal);
}

/** Takes a permit. Removes expired permits of killed functions. Returns whether it succeeded. */
async function take(part: LimitPart, permitId: string, reserved: Reserved): Promise<boolean> {
  const now = part.clock.now();
  const wanted = takingOf(part.settings, permitId, reserved, now);
  if (await isTaken(part, permitId, wanted)) return true;
  const { permits } = part.seen;
  const expired = Object.keys(permits).filter((id) => (permits[id] ?? 0) <= now);
  if (expired.length === 0) return false;
  await changeLimit(part, { removePermits: expired.slice(0, MOST_REMOVED) });
  return isTaken(part, permitId, wanted);
}

/** The SDK repeats a write whose answer was lost. Its condition may then fail although the permit is taken. */
async function isTaken(part: LimitPart, permitId: string, wanted: LimitChange): Promise<boolean> {
  if ((await changeLimit(part, wanted)) !== undefined) return true;
  return permitId in (await readLimit(part)).permits;
}

function takingOf(
  { requestsInFlight, permitLifetimeMs, stopMs }: LimitSettings,
  permitId: string,
  { at, slowedAt, heedsStop, leavesOne = false, trialOf }: Reserved,
  now: number,
): LimitChange {
  const allowed = Math.max(1, requestsInFlight - (leavesOne ? 1 : 0));
  const where: LimitCondition[] = [
    ['permits', '<', allowed],
    ['pausedUntil', '<=', at],
    ['slowedAt', '=', slowedAt],
  ];
  if (trialOf !== undefined) where.push(['stop.retryAt', '=', trialOf.retryAt]);
  else if (heedsStop) where.push(['stop', 'absent']);
  return {
    where,
    addPermits: { [permitId]: at + permitLifetimeMs },
    add: { granted: 1 },
    ...(trialOf !== undefined && { set: { stop: { ...trialOf, retryAt: now + stopMs } } }),
  };
}
