import middy from '@middy/core';
import type { Context, ScheduledEvent } from 'aws-lambda';
import type { OnFailure } from '../errors/isolate-failure.ts';
import { describeError, logger, observability } from './observability.ts';

/** Handler of a schedule: the event says nothing that matters. */
export function scheduleHandler(handle: (context: Context) => Promise<void>) {
  return middy<ScheduledEvent, void>()
    .use(observability())
    .handler(async (_: ScheduledEvent, context: Context): Promise<void> => handle(context));
}

/**
 * Runs scheduled work in parts. A part that fails does not stop the others. Each failure is logged at once.
 *
 * @throws AggregateError of them, once all is done, so that the function's alarm reports a failure of every run.
 */
export async function inParts(work: (onFailure: OnFailure) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await work((error) => {
    failures.push(error);
    logger.error('a part of the work failed, the next run tries it again', describeError(error));
  });
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the work failed`);
}
