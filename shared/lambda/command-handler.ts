import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { LargeMessages } from '../aws/archive-bucket.ts';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import type { CommandMessage, CommandsReceived } from '../requests/use-cases/receive-commands.ts';
import { systemClock } from '../time/system-clock.ts';
import { describeError, logger, metrics } from './observability.ts';
import { queueBatchHandler } from './queue-handler.ts';

/** Bodies of messages fetched at the same time. */
const CONCURRENCY = 10;
/** Part of a function's time in which requests begin. The rest is for retries of the last one. */
const SENDING_PART = 0.5;

/**
 * Handler of a queue of commands. The commands of one invocation are performed together.
 *
 * @param receive performs commands. It begins no request after `stopAt`, epoch ms.
 */
export function commandHandler(
  largeMessages: LargeMessages,
  receive: (messages: readonly CommandMessage[], stopAt: number) => Promise<CommandsReceived>,
) {
  return queueBatchHandler(async (messages, context) => {
    const stopAt = systemClock.now() + context.getRemainingTimeInMillis() * SENDING_PART;
    const bodies = new Map<string, string>();
    const failures: { messageId: string; error: unknown }[] = [];
    await forEachConcurrently(messages, CONCURRENCY, ({ messageId, body }) =>
      largeMessages.open(body).then(
        (whole) => void bodies.set(messageId, whole),
        (error: unknown) => void failures.push({ messageId, error }),
      ),
    );
    const opened = messages.flatMap((message) => {
      const body = bodies.get(message.messageId);
      return body === undefined ? [] : [{ ...message, body }];
    });
    const received = await receive(opened, stopAt);
    report(received, messages.length);
    for (const { error, ...ids } of [...failures, ...failuresOf(received)])
      logger.error('command failed and will be redelivered', { ...ids, ...describeError(error) });
    const unopened = messages.filter(({ messageId }) => !bodies.has(messageId));
    return {
      failedMessageIds: [...received.failedMessageIds, ...unopened.map(({ messageId }) => messageId)],
    };
  });
}

function report({ requests, rejected, deferred, commands }: CommandsReceived, messages: number): void {
  // An earlier delivery has counted the requests that it applied.
  const answered = requests.filter(
    ({ state, appliedAt }) => state === 'answered' && appliedAt === undefined,
  ).length;
  metrics.addMetric('RequestsSent', MetricUnit.Count, answered);
  metrics.addMetric('RowsRejected', MetricUnit.Count, rejected);
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
  for (const command of deferred) logger.info('command deferred', { ...command });
}

/** Each failure with the command, or only the message, that it is of. */
function failuresOf({ failedMessageIds, failures, commands }: CommandsReceived) {
  return failures.map((error, position) => {
    const messageId = failedMessageIds[position] ?? '';
    return { ...commands.find((command) => command.messageId === messageId), messageId, error };
  });
}
