import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { withLogKeys } from '../correlation/log-keys.ts';
import { describeError, logger, observability } from './observability.ts';

/** A message of a queue. `sentAt` is epoch ms. */
export interface QueueMessage {
  readonly messageId: string;
  readonly body: string;
  readonly sentAt: number;
}

export interface BatchOutcome {
  readonly failedMessageIds: readonly string[];
}

/** Handler of a queue whose messages are processed together. It answers with a partial batch response. */
export function queueBatchHandler(
  handle: (messages: readonly QueueMessage[], context: Context) => Promise<BatchOutcome>,
) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(observability())
    .handler(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
      const { failedMessageIds } = await handle(event.Records.map(toMessage), context);
      return { batchItemFailures: failedMessageIds.map((itemIdentifier) => ({ itemIdentifier })) };
    });
}

/**
 * Handler of a queue whose messages are processed one by one. Only a message that fails is redelivered. `limit`: messages
 * processed at the same time, default 1.
 */
export function queueHandler(
  handle: (message: QueueMessage, context: Context) => Promise<void>,
  { limit = 1 }: { limit?: number } = {},
) {
  return queueBatchHandler(async (messages, context) => {
    const failedMessageIds: string[] = [];
    await forEachConcurrently(messages, limit, (message) =>
      withLogKeys({ messageId: message.messageId }, async () => {
        try {
          await handle(message, context);
        } catch (error) {
          logger.error('message failed and will be redelivered', describeError(error));
          failedMessageIds.push(message.messageId);
        }
      }),
    );
    return { failedMessageIds };
  });
}

function toMessage({ messageId, body, attributes }: SQSRecord): QueueMessage {
  return { messageId, body, sentAt: Number(attributes.SentTimestamp) };
}
