import type { Context } from 'aws-lambda';
import type { Clock } from '../time/clock.ts';

type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/** When an invocation has `reserveMs` milliseconds left. */
export function stopTime(clock: Pick<Clock, 'now'>, context: Remaining, reserveMs: number): number {
  return clock.now() + context.getRemainingTimeInMillis() - reserveMs;
}

/** Aborts when an invocation has `reserveMs` milliseconds left, or at once if it has fewer. */
export function stopSignal(context: Remaining, reserveMs: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - reserveMs));
}
