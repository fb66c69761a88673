import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { LargeMessages } from '../aws/archive-bucket.ts';
import type { CommandMessage, CommandsReceived } from '../requests/use-cases/receive-commands.ts';
import { RequestTime } from '../requests/use-cases/run-request.ts';
import { systemClock } from '../time/system-clock.ts';
import { addCount, describeError, logger, logWarnings, metrics } from './observability.ts';
import { type QueueMessage, queueBatchHandler } from './queue-handler.ts';

/** Bodies of messages fetched at the same time. */
const CONCURRENCY = 10;
/** After this many characters no further bodies are fetched: parsed and planned commands take many times the memory of their bodies. */
const MOST_OPENED = 16_000_000;
/** Once no more requests are begun, deferring a part of the messages may take this long. */
const DEFERRING_MS = 20_000;
/** Requests begin in this part of a function's time. The rest is for retries of the last request. */
const SENDING_PART = 0.4;

/**
 * Handler of a queue of commands. The commands of one invocation are performed together. Large commands are performed together only as
 * far as they fit into memory.
 *
 * @param receive performs commands. Must begin no request after the given time.
 */
export function commandHandler(
  largeMessages: LargeMessages,
  receive: (messages: readonly CommandMessage[], time: RequestTime) => Promise<CommandsReceived>,
) {
  return queueBatchHandler(async (messages, context) => {
    const stopAt = systemClock.now() + context.getRemainingTimeInMillis() * SENDING_PART;
    const time = new RequestTime(systemClock, stopAt);
    const failedMessageIds: string[] = [];
    const rest = [...messages];
    do {
      const { opened, unopened } = await openSome(largeMessages, rest);
      const received = await receive(opened, time);
      report(received, opened.length + unopened.length);
      for (const { error, ...ids } of [...unopened, ...received.failures]) {
        logger.error('command failed and will be redelivered', { ...ids, ...describeError(error) });
        failedMessageIds.push(ids.messageId);
      }
    } while (rest.length > 0 && context.getRemainingTimeInMillis() > DEFERRING_MS);
    return { failedMessageIds: [...failedMessageIds, ...rest.map(({ messageId }) => messageId)] };
  });
}

/** Fetches the bodies of messages from the start of `rest`, and removes these messages from `rest`. */
async function openSome(largeMessages: LargeMessages, rest: QueueMessage[]) {
  const opened: CommandMessage[] = [];
  const unopened: { messageId: string; error: unknown }[] = [];
  let length = 0;
  while (rest.length > 0 && length < MOST_OPENED) {
    const some = rest.splice(0, CONCURRENCY);
    const bodies = await Promise.allSettled(some.map(({ body }) => largeMessages.open(body)));
    for (const [index, message] of some.entries()) {
      const body = bodies[index];
      if (body?.status === 'fulfilled') {
        opened.push({ ...message, body: body.value });
        length += body.value.length;
      } else unopened.push({ messageId: message.messageId, error: body?.reason });
    }
  }
  return { opened, unopened };
}

function report(
  { requests, rejected, deferred, commands, warnings }: CommandsReceived,
  messages: number,
): void {
  // An earlier delivery has counted the requests that it applied.
  const answered = requests.filter(
    ({ state, appliedAt }) => state === 'answered' && appliedAt === undefined,
  ).length;
  addCount('RequestsSent', answered);
  addCount('RowsRejected', rejected);
  // A deferred command becomes a new message each time, so the queue's own metric does not show the command's age.
  const ages = deferred.flatMap(({ ageMs }) => ageMs ?? []);
  if (ages.length > 0) metrics.addMetric('CommandAge', MetricUnit.Milliseconds, Math.max(...ages));
  const codes = [...new Set(deferred.map(({ code }) => code))];
  logger.info('commands performed', {
    messages,
    requests: answered,
    rejected,
    deferred: deferred.length,
    ...(codes.length > 0 && { codes }),
    commands,
  });
  logWarnings(warnings);
  for (const command of deferred) logger.info('command deferred', { ...command });
}
