import type { Context } from 'aws-lambda';
import type { Clock } from '../time/clock.ts';

type Remaining = Pick<Context, 'getRemainingTimeInMillis'>;

/** Epoch ms from which an invocation has less than `keptMs` milliseconds left. */
export function stopWithLeft(clock: Pick<Clock, 'now'>, context: Remaining, keptMs: number): number {
  return clock.now() + context.getRemainingTimeInMillis() - keptMs;
}

/** Aborts when an invocation has `keptMs` milliseconds left, at once where it has less. */
export function abortWithLeft(context: Remaining, keptMs: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - keptMs));
}
