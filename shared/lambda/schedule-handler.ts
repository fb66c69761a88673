import middy from '@middy/core';
import type { Context, ScheduledEvent } from 'aws-lambda';
import type { OnFailure } from '../errors/isolate-failure.ts';
import { describeError, logger, observability } from './observability.ts';

export function scheduleHandler(handle: (context: Context) => Promise<void>) {
  return middy<ScheduledEvent, void>()
    .use(observability())
    .handler(async (_: ScheduledEvent, context: Context): Promise<void> => handle(context));
}

/**
 * Runs scheduled work in parts. A part that fails does not stop the others. Each failure is logged at once.
 *
 * @throws AggregateError of all failures after the work, so that the function's error alarm counts the run.
 */
export async function inParts(work: (onFailure: OnFailure) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await work((error) => {
    failures.push(error);
    logger.error('part of the work failed; the next run retries it', describeError(error));
  });
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the work failed`);
}
