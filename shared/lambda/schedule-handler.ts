import middy from '@middy/core';
import type { Context, ScheduledEvent } from 'aws-lambda';
import type { OnFailure } from '../errors/isolate-failure.ts';
import { describeError, logger, observability } from './observability.ts';

/**
 * Handler of a schedule. A failed part of the work does not stop the other parts: `onFailure` logs each failure at once.
 * After the work an AggregateError of all failures is thrown, so that the function's error alarm counts the run.
 */
export function scheduleHandler(work: (context: Context, onFailure: OnFailure) => Promise<void>) {
  return middy<ScheduledEvent, void>()
    .use(observability())
    .handler(async (_: ScheduledEvent, context: Context): Promise<void> => {
      const failures: unknown[] = [];
      await work(context, (error) => {
        failures.push(error);
        logger.error('part of the work failed; the next run retries it', describeError(error));
      });
      if (failures.length > 0)
        throw new AggregateError(failures, `${failures.length} parts of the work failed`);
    });
}
