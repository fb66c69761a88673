import type { PermitOutcome } from '../../marketplace/options.ts';
import type { Limit, LimitSettings } from '../model.ts';

/**
 * Requests leave a little further apart than the rate allows, because what counts is when they arrive: one that is
 * held up on its way closes up to the next. 4 % uses 96 % of the rate and covers 40 ms at the end of a full second.
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

/** Share of the allowed rate, 0.1 to 1: after a cut it comes back evenly, so that nobody rushes in. */
export function paceAt({ pace, slowedAt, pausedUntil }: Limit, now: number): number {
  const calmMs = Math.max(0, now - Math.max(slowedAt, pausedUntil));
  return Math.min(1, pace + (RECOVERY_PER_SECOND * calmMs) / 1000);
}

/**
 * What an outcome does to the pace of everyone: a 429, a 503 or a `Retry-After` pauses and halves it. Answers to
 * requests that had left before the last cut do not cut again.
 */
export function slowDown(limit: Limit, outcome: PermitOutcome, slotAt: number, now: number): Limit {
  if (!isComplaint(outcome)) return limit;
  const pauseMs = Math.min(outcome.retryAfterMs ?? OWN_PAUSE_MS, LONGEST_PAUSE_MS);
  const pausedUntil = Math.max(limit.pausedUntil, now + pauseMs);
  if (slotAt <= limit.slowedAt) return { ...limit, pausedUntil };
  return { ...limit, pausedUntil, slowedAt: now, pace: Math.max(SLOWEST_PACE, paceAt(limit, now) * CUT) };
}

function isComplaint({ status, code, retryAfterMs }: PermitOutcome): boolean {
  return status === 429 || status === 503 || code === 'SYS_DEP_503' || retryAfterMs !== undefined;
}
