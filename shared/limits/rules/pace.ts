import type { PermitOutcome } from '../../marketplace/options.ts';
import type { Limit, LimitSettings } from '../model.ts';
import type { LimitChange } from '../ports.ts';

/**
 * Requests leave a little further from each other than the rate allows, because what counts is when they arrive: one that
 * is held up closes up to the next. 4 % uses 96 % of the rate and covers 40 ms at the end of a full second.
 */
const SPACING_MARGIN = 1.04;
/** What a cut leaves of the pace. */
const CUT = 0.5;
const SLOWEST_PACE = 0.1;
/** Share of the full rate that comes back with each second without a complaint. */
const RECOVERY_PER_SECOND = 0.1;
/** The pause after a complaint that asks for none itself. */
const OWN_PAUSE_MS = 1_000;
/** A longer `Retry-After` is looked at again after this long. */
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Milliseconds between two requests at `now`. */
export function spacingMs(limit: Limit, { requestsPerSecond }: LimitSettings, now: number): number {
  return (1000 * SPACING_MARGIN) / (requestsPerSecond * paceAt(limit, now));
}

/** Share of the allowed rate, 0.1 to 1: after a cut it comes back evenly, so that no crowd rushes in. */
export function paceAt({ pace, slowedAt, pausedUntil }: Limit, now: number): number {
  const calmMs = Math.max(0, now - Math.max(slowedAt, pausedUntil));
  return Math.min(1, pace + (RECOVERY_PER_SECOND * calmMs) / 1000);
}

/** Whether an answer asks everyone to send less: a 429, a 503 or a `Retry-After`. */
export function isComplaint({ status, code, retryAfterMs }: PermitOutcome): boolean {
  return status === 429 || status === 503 || code === 'SYS_DEP_503' || retryAfterMs !== undefined;
}

/**
 * What a complaint does to everyone: a pause, and half the pace. Complaints about requests that had left before the last
 * cut do not cut again. The change holds only where no other complaint was written since `limit` was read.
 *
 * @param slotAt epoch ms at which the request left.
 */
export function slowedBy(
  limit: Limit,
  { retryAfterMs = OWN_PAUSE_MS }: PermitOutcome,
  slotAt: number,
  now: number,
): LimitChange {
  const pausedUntil = Math.max(limit.pausedUntil, now + Math.min(retryAfterMs, LONGEST_PAUSE_MS));
  const cut = { slowedAt: now, pace: Math.max(SLOWEST_PACE, paceAt(limit, now) * CUT) };
  const isQueueShorter = limit.nextSlotAt <= pausedUntil;
  return {
    where: [
      ['slowedAt', '=', limit.slowedAt],
      ['pausedUntil', '=', limit.pausedUntil],
      ['nextSlotAt', isQueueShorter ? '<=' : '>=', pausedUntil],
    ],
    set: {
      pausedUntil,
      ...(isQueueShorter && { nextSlotAt: pausedUntil }),
      ...(slotAt > limit.slowedAt && cut),
    },
  };
}
