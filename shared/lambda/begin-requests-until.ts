import type { Context } from 'aws-lambda';
import type { Clock } from '../time/clock.ts';

/** Part of a function's time in which requests are begun: the last one may be repeated for as long again. */
const BEGINNING = 0.5;

/** Epoch ms from which an invocation begins no further request, so that none is cut off by its time limit. */
export function beginRequestsUntil(
  clock: Pick<Clock, 'now'>,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): number {
  return clock.now() + context.getRemainingTimeInMillis() * BEGINNING;
}
