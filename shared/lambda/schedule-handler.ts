import middy from '@middy/core';
import type { Context, ScheduledEvent } from 'aws-lambda';
import { observability } from './observability.ts';

/** Handler of a schedule: the event says nothing that matters. */
export function scheduleHandler(handle: (context: Context) => Promise<void>) {
  return middy<ScheduledEvent, void>()
    .use(observability())
    .handler(async (_: ScheduledEvent, context: Context): Promise<void> => handle(context));
}
