import type { Context } from 'aws-lambda';
import type { Clock } from '../time/clock.ts';

type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/** Part of a function's time in which requests are begun: the last one may be repeated for as long again. */
const BEGINNING = 0.5;

/** Epoch ms from which an invocation begins no further request, so that none is cut off by its time limit. */
export function beginRequestsUntil(clock: Pick<Clock, 'now'>, context: Remaining): number {
  return clock.now() + context.getRemainingTimeInMillis() * BEGINNING;
}

/** Epoch ms from which an invocation has less than `keptMs` milliseconds left. */
export function stopWithLeft(clock: Pick<Clock, 'now'>, context: Remaining, keptMs: number): number {
  return clock.now() + context.getRemainingTimeInMillis() - keptMs;
}

/** Aborts when an invocation has `keptMs` milliseconds left, at once where it has less. */
export function abortWithLeft(context: Remaining, keptMs: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - keptMs));
}
