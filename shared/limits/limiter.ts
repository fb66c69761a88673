import type { NoPlace, PermitOutcome, Permits, Place, PlaceRequest } from '../marketplace/options.ts';
import type { Clock } from '../time/clock.ts';
import { changeLimit, type LimiterPorts, type LimitPart, limitParts, readLimit } from './limit-part.ts';
import { type LimitChange, type LimitCondition, type LimitSettings, type Stop, spacingMs } from './model.ts';
import { giveBackPermit, MAX_TRIES, stopLanes } from './slow-down.ts';

/** How a caller stands to others. */
export interface CallerOptions {
  /** Whether to keep to a stop of the lanes; one that asks when it is over tries for all. Default `false`. */
  readonly heedsStop?: boolean;
  /** Whether to leave the last permit to others. Default `false`. */
  readonly leavesOne?: boolean;
}

/** The rate and the number in flight that all functions of a partner share (P6). */
export interface Limiter {
  permits(options?: CallerOptions): Permits;
  /** Stops the lanes, all but one that tries now and then, until a request of anyone's succeeds. */
  stop(refusal: { code: string; message: string }): Promise<void>;
}

/** Milliseconds that taking the permit may need before the request's time. */
const TAKING_MS = 40;
/** A request that leaves later than its time by more milliseconds would let the next ones close up to it. */
const LATE_MS = 20;
/** One that is later than that pushes what comes after it; one that is later by more than this loses its place. */
const TOO_LATE_MS = 750;
/** Milliseconds within which requests are counted: none that is further away needs be pushed. */
const WINDOW_MS = 1_000;
/** A process that has sent nothing for so many milliseconds has no open connection. */
const COLD_AFTER_MS = 3_000;
/**
 * Milliseconds by which a request may arrive later that has to make its connection first. The room of one request is
 * enough: however late it is, it adds one to those that are counted with it.
 */
const COLD_ROOM_MS = 200;
/** Milliseconds, jittered by half, for which a process that found no place does not ask again. */
const ASK_AGAIN_MS = 1_000;
/** What lateness adds at most to the time that is planned before a request. */
const MOST_SLOWNESS_MS = 1_000;

/**
 * The limiter over items of the Limits table, each with its part of the limit: one conditional write to reserve, one to
 * begin, one to give back.
 *
 * @param limitIds the items, as `limitIdsOf` names them.
 */
export function createLimiter(
  ports: LimiterPorts,
  settings: LimitSettings,
  limitIds: readonly string[],
): Limiter {
  const parts = limitParts(ports, settings, limitIds);
  // Each process begins with another part, and goes on with the next.
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

/** The next place of the first part that has one. */
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
  // Kept for all tries: others only move the next place on, so the try after a failed one finds it at this time or later.
  const earliest = clock.now() + neededMs;
  /** The stop that this caller tries to end. */
  let trialOf: Stop | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = clock.now();
    const isQueue = part.seen.nextSlotAt >= earliest;
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
        : { where: [...where, ['nextSlotAt', '<', earliest]], set: { nextSlotAt: earliest + room } },
    );
    if (taken !== undefined) {
      const at = Math.ceil(isQueue ? taken.nextSlotAt - room : earliest);
      part.process.usedAt = Math.max(part.process.usedAt, at);
      return placeOf(part, {
        at,
        next: taken.nextSlotAt,
        prepareAt: at - neededMs,
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
  readonly prepareAt: number;
  /** Epoch ms of the next place. */
  readonly next: number;
  /** When the pace had been cut last: a place from before a cut is lost by it. */
  readonly slowedAt: number;
  readonly trialOf: Stop | undefined;
}

function placeOf(part: LimitPart, reserved: Reserved): Place {
  const { at, prepareAt, next } = reserved;
  const { clock } = part;
  const giveBack = async () => {
    await changeLimit(part, { where: [['nextSlotAt', '=', next]], set: { nextSlotAt: at } });
  };
  return {
    at,
    prepareAt,
    giveBack,
    begin: async (signal) => {
      try {
        await sleepUntil(clock, at - TAKING_MS - part.process.slownessMs, signal);
      } catch (error) {
        await giveBack();
        throw error;
      }
      const permitId = part.newId();
      if (lateness(part, at) > TOO_LATE_MS || !(await take(part, permitId, reserved))) return undefined;
      let isOut = true;
      const release = async (outcome: PermitOutcome) => {
        if (!isOut) return;
        isOut = false;
        await giveBackPermit(part, permitId, outcome, at);
      };
      try {
        await sleepUntil(clock, at, signal);
      } catch (error) {
        await release({ unused: true });
        throw error;
      }
      const lateMs = lateness(part, at);
      if (lateMs <= LATE_MS || (await pushOthers(part, at, lateMs))) return { release };
      await release({ unused: true });
      return undefined;
    },
  };
}

/** Milliseconds after `at`. Notes how late it is, so that the next place leaves more time, or again less. */
function lateness(part: LimitPart, at: number): number {
  const lateMs = part.clock.now() - at;
  if (lateMs > LATE_MS)
    part.process.slownessMs = Math.min(MOST_SLOWNESS_MS, part.process.slownessMs + lateMs);
  else if (lateMs >= 0) part.process.slownessMs *= 0.9;
  return lateMs;
}

/** Makes room behind a request that leaves late, where it is not reserved yet. */
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

/** Takes a permit, and removes expired permits of killed functions; returns whether it succeeded. */
async function take(part: LimitPart, permitId: string, reserved: Reserved): Promise<boolean> {
  const wanted = takingOf(part.settings, permitId, reserved, part.clock.now());
  if ((await changeLimit(part, wanted)) !== undefined) return true;
  const { permits } = await readLimit(part);
  // The SDK repeats a write whose answer was lost: the condition then fails against our own write.
  if (permitId in permits) return true;
  const now = part.clock.now();
  const expired = Object.keys(permits).filter((id) => (permits[id] ?? 0) <= now);
  if (expired.length === 0) return false;
  await changeLimit(part, { removePermits: expired });
  return (await changeLimit(part, wanted)) !== undefined;
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
