import type { Clock } from '../time/clock.ts';
import type { EpochMs } from '../time/times.ts';
import { permitWait } from '../time/waits.ts';
import { changeLimit, type LimiterPorts, type LimitPart, limitParts, readLimit } from './limit-part.ts';
import { isRestoring, type LimitSettings, type Stop, spacingMs } from './model.ts';
import type { LimitChange, LimitCondition, NoPlace, Permit, Permits, Place, PlaceRequest } from './ports.ts';
import { giveBackPermit, MAX_TRIES, stopLanes } from './slow-down.ts';

/** Limits the rate and the requests in flight of all functions together (P6). */
export interface Limiter extends Permits {
  /** Whether the tables are restored ones from which nothing is sent yet. */
  isRestored(): Promise<boolean>;
  /** Stops the lanes until any request succeeds. One lane tries from time to time. */
  stop(refusal: { code: string; message: string }): Promise<void>;
}

/** How long before its place a request takes its permit. What comes before it: README.md. */
const TAKEN_BEFORE_MS = 40;

/**
 * The limiter over items of the Limits table, each with a part of the limit. It only spaces: a request writes one item three
 * times, with a condition each, to reserve its time, to take its permit, and to give it back. A request that leaves late comes
 * closer to the next one; the marketplace's rare 429 for it is one of the answers that all callers handle.
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

/** What is resumed stays so: the item is read until then. */
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
  // The same in all tries: other processes only move the next place to later times.
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
      // A lost place is not given back either: its caller would get it again at once, as long as no permit is free.
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

/** Takes a permit, if need be in place of an expired one of a killed function. Returns whether it succeeded. */
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
 * Writes a permit. The SDK repeats a write whose answer was lost; its condition may then fail although the permit is taken.
 *
 * @returns whether it is taken
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
  // A lane that gives its place back has not tried the credentials.
  if (trialOf !== undefined) where.push(['stop.retryAt', '=', trialOf.retryAt]);
  else if (heedsStop) where.push(['stop', 'absent']);
  return {
    where,
    permits: { [permitId]: at + permitLifetimeMs },
    ...(trialOf !== undefined && { set: { stop: { ...trialOf, retryAt: now + stopMs } } }),
  };
}
