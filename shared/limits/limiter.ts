import type { NoPlace, PermitOutcome, Permits, Place, PlaceRequest } from '../marketplace/options.ts';
import type { Clock } from '../time/clock.ts';
import {
  freshLimit,
  isComplaint,
  type Limit,
  type LimitChange,
  type LimitCondition,
  type LimitSettings,
  type LimitTable,
  type Stop,
  slowedBy,
  spacingMs,
} from './model.ts';

export interface LimiterPorts {
  readonly limits: LimitTable;
  readonly clock: Clock;
  /** Unique every time. */
  readonly newId: () => string;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
}

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
/** The most attempts of a write that meets a concurrent write or stale data. */
const MAX_TRIES = 5;
/** Milliseconds, jittered by half, for which a process that found no place does not ask again. */
const ASK_AGAIN_MS = 1_000;
/** What lateness adds at most to the time that is planned before a request. */
const MOST_SLOWNESS_MS = 1_000;

/** The limiter over one item of the Limits table: one conditional write to reserve, one to begin, one to give back. */
export function createLimiter(ports: LimiterPorts, settings: LimitSettings, limitId: string): Limiter {
  const state: ProcessState = {
    ...ports,
    settings,
    limitId,
    seen: freshLimit(limitId),
    usedAt: 0,
    slownessMs: 0,
    noPlaceUntil: 0,
  };
  return {
    permits: (options = {}) => ({ reserve: (request) => reserve(state, request, options) }),
    stop: ({ code, message }) => stopLanes(state, code, message),
  };
}

/** What one process knows of the limit, and of itself. */
interface ProcessState extends LimiterPorts {
  readonly settings: LimitSettings;
  readonly limitId: string;
  /** As the last operation found it. */
  seen: Limit;
  /** Epoch ms of the last request. */
  usedAt: number;
  /** Milliseconds that tables take longer than planned. */
  slownessMs: number;
  noPlaceUntil: number;
}

async function change(state: ProcessState, wanted: LimitChange): Promise<Limit | undefined> {
  const changed = await state.limits.change(state.limitId, wanted);
  if (changed !== undefined) state.seen = changed;
  return changed;
}

async function look(state: ProcessState): Promise<Limit> {
  const found = await state.limits.get(state.limitId);
  if (found === undefined) await state.limits.create(freshLimit(state.limitId));
  state.seen = found ?? freshLimit(state.limitId);
  return state.seen;
}

async function reserve(
  state: ProcessState,
  { until, preparationMs = 0 }: PlaceRequest,
  options: CallerOptions,
): Promise<Place | NoPlace> {
  const { clock } = state;
  if (clock.now() < state.noPlaceUntil) return { reason: 'busy', retryAt: state.noPlaceUntil };
  const neededMs = preparationMs + TAKING_MS + state.slownessMs;
  // Kept for all tries: others only move the next place on, so the try after a failed one finds it at this time or later.
  const earliest = clock.now() + neededMs;
  /** The stop that this caller tries to end. */
  let trialOf: Stop | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = clock.now();
    const isQueue = state.seen.nextSlotAt >= earliest;
    const spacing = spacingMs(state.seen, state.settings, Math.max(state.seen.nextSlotAt, earliest));
    const isCold = earliest - state.usedAt > COLD_AFTER_MS;
    const room = spacing + (isCold ? Math.min(COLD_ROOM_MS, spacing) : 0);
    const where: LimitCondition[] = [['slowedAt', '=', state.seen.slowedAt]];
    if (options.heedsStop && trialOf === undefined) where.push(['stop', 'absent']);
    const taken = await change(
      state,
      isQueue
        ? {
            where: [...where, ['nextSlotAt', '>=', earliest], ['nextSlotAt', '<=', until]],
            add: { nextSlotAt: room },
          }
        : { where: [...where, ['nextSlotAt', '<', earliest]], set: { nextSlotAt: earliest + room } },
    );
    if (taken !== undefined) {
      const at = Math.ceil(isQueue ? taken.nextSlotAt - room : earliest);
      state.usedAt = Math.max(state.usedAt, at);
      return placeOf(state, {
        at,
        next: taken.nextSlotAt,
        prepareAt: at - neededMs,
        slowedAt: taken.slowedAt,
        ...options,
        trialOf,
      });
    }
    const { nextSlotAt, stop } = await look(state);
    if (nextSlotAt > until) return noPlace(state, now + nextSlotAt - until);
    if (options.heedsStop && stop !== undefined && stop.retryAt > now) {
      return { reason: 'stopped', retryAt: stop.retryAt };
    }
    trialOf = options.heedsStop ? stop : undefined;
  }
  return noPlace(state, clock.now());
}

function noPlace(state: ProcessState, freeAt: number): NoPlace {
  const { clock, random } = state;
  state.noPlaceUntil = Math.max(freeAt, clock.now() + ASK_AGAIN_MS * (0.5 + random()));
  return { reason: 'busy', retryAt: state.noPlaceUntil };
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

function placeOf(state: ProcessState, reserved: Reserved): Place {
  const { at, prepareAt, next } = reserved;
  const { clock } = state;
  const giveBack = async () => {
    await change(state, { where: [['nextSlotAt', '=', next]], set: { nextSlotAt: at } });
  };
  return {
    at,
    prepareAt,
    giveBack,
    begin: async (signal) => {
      try {
        await sleepUntil(clock, at - TAKING_MS - state.slownessMs, signal);
      } catch (error) {
        await giveBack();
        throw error;
      }
      const permitId = state.newId();
      if (lateness(state, at) > TOO_LATE_MS || !(await take(state, permitId, reserved))) return undefined;
      let isOut = true;
      const release = async (outcome: PermitOutcome) => {
        if (!isOut) return;
        isOut = false;
        await giveBackPermit(state, permitId, outcome, at);
      };
      try {
        await sleepUntil(clock, at, signal);
      } catch (error) {
        await release({ unused: true });
        throw error;
      }
      const lateMs = lateness(state, at);
      if (lateMs <= LATE_MS || (await pushOthers(state, at, lateMs))) return { release };
      await release({ unused: true });
      return undefined;
    },
  };
}

/** Milliseconds after `at`. Notes how late it is, so that the next place leaves more time, or again less. */
function lateness(state: ProcessState, at: number): number {
  const lateMs = state.clock.now() - at;
  if (lateMs > LATE_MS) state.slownessMs = Math.min(MOST_SLOWNESS_MS, state.slownessMs + lateMs);
  else if (lateMs >= 0) state.slownessMs *= 0.9;
  return lateMs;
}

/** Makes room behind a request that leaves late, where it is not reserved yet. */
async function pushOthers(state: ProcessState, at: number, lateMs: number): Promise<boolean> {
  if (lateMs > TOO_LATE_MS) return false;
  const pushed = { nextSlotAt: Math.min(lateMs + LATE_MS, spacingMs(state.seen, state.settings, at)) };
  const where = [['nextSlotAt', '<=', at + WINDOW_MS]] as const;
  return (await change(state, { where, add: pushed })) !== undefined;
}

async function sleepUntil(clock: Clock, at: number, signal?: AbortSignal): Promise<void> {
  const ms = at - clock.now();
  if (ms > 0) await clock.sleep(ms, signal);
}

/** Takes a permit, and removes expired permits of killed functions; returns whether it succeeded. */
async function take(state: ProcessState, permitId: string, reserved: Reserved): Promise<boolean> {
  const wanted = takingOf(state.settings, permitId, reserved, state.clock.now());
  if ((await change(state, wanted)) !== undefined) return true;
  const { permits } = await look(state);
  // The SDK repeats a write whose answer was lost: the condition then fails against our own write.
  if (permitId in permits) return true;
  const now = state.clock.now();
  const expired = Object.keys(permits).filter((id) => (permits[id] ?? 0) <= now);
  if (expired.length === 0) return false;
  await change(state, { removePermits: expired });
  return (await change(state, wanted)) !== undefined;
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

/** How the request ended may slow everyone, or end a stop. */
async function giveBackPermit(
  state: ProcessState,
  permitId: string,
  outcome: PermitOutcome,
  at: number,
): Promise<void> {
  const removePermits = [permitId];
  state.usedAt = Math.max(state.usedAt, state.clock.now());
  if (outcome.unused) {
    await change(state, { removePermits, add: { granted: -1 } });
    return;
  }
  if (isComplaint(outcome)) {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const slowed = slowedBy(await look(state), outcome, at, state.clock.now());
      if ((await change(state, { ...slowed, removePermits })) !== undefined) return;
    }
  }
  const left = await change(state, { removePermits });
  if (left?.stop === undefined || !isSuccess(outcome)) return;
  await change(state, { where: [['stop.retryAt', '=', left.stop.retryAt]], removeStop: true });
}

/** A good answer, or a refusal of the request's content, shows that the credentials it bore are right again. */
function isSuccess({ status, code, unsigned = false }: PermitOutcome): boolean {
  if (unsigned) return false;
  return code === 'VAL_001' || (status !== undefined && status >= 200 && status < 300);
}

async function stopLanes(state: ProcessState, code: string, message: string): Promise<void> {
  const { stop } = await look(state);
  const now = state.clock.now();
  const retryAt = now + state.settings.stopMs;
  await change(state, { set: { stop: { code, message, since: stop?.since ?? now, retryAt } } });
}
