import type { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { sqsClient } from '../aws/clients.ts';
import { redeliverSoon } from '../aws/redelivery.ts';
import { forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { logScope } from '../correlation/log-keys.ts';
import { environment } from '../settings/environment.ts';
import type { EpochMs } from '../time/times.ts';
import { describeError, logger, observability } from './observability.ts';

/** A message of a queue. `sentAt` is epoch ms. */
export interface QueueMessage {
  readonly messageId: string;
  readonly body: string;
  readonly sentAt: EpochMs;
}

export interface BatchOutcome {
  readonly failedMessageIds: readonly string[];
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
    await forEachConcurrently(messages, limit, async (message) => {
      const { messageId } = message;
      const within = logScope({ messageId });
      try {
        await within(() => handle(message, context));
      } catch (error) {
        within(() => logger.error('message failed and will be redelivered', describeError(error)));
        failedMessageIds.push(messageId);
      }
    });
    return { failedMessageIds };
  });
}

/** Handler of a queue whose messages are processed together. It answers with a partial batch response. */
export function queueBatchHandler(
  handle: (messages: readonly QueueMessage[], context: Context) => Promise<BatchOutcome>,
) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(observability())
    .handler(async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
      let failedMessageIds: readonly string[] = Records.map(({ messageId }) => messageId);
      try {
        ({ failedMessageIds } = await handle(Records.map(toMessage), context));
      } finally {
        await redeliver(Records, new Set(failedMessageIds));
      }
      return { batchItemFailures: failedMessageIds.map((itemIdentifier) => ({ itemIdentifier })) };
    });
}

let sqs: SQSClient | undefined;

/**
 * Redelivers failed messages soon: for a passing failure, the queue's visibility timeout, which is longer than the function may run, is
 * too long.
 */
async function redeliver(
  records: readonly SQSRecord[],
  failedMessageIds: ReadonlySet<string>,
): Promise<void> {
  const failed = records.filter(({ messageId }) => failedMessageIds.has(messageId));
  if (failed.length === 0) return;
  try {
    const messages = failed.map(({ receiptHandle, attributes }) => ({
      receiptHandle,
      receives: Number(attributes.ApproximateReceiveCount),
    }));
    sqs ??= sqsClient('prompt');
    await redeliverSoon(sqs, environment.sourceQueueUrl, messages);
  } catch (error) {
    logger.warn('failed messages are redelivered after the visibility timeout', describeError(error));
  }
}

function toMessage({ messageId, body, attributes }: SQSRecord): QueueMessage {
  return { messageId, body, sentAt: Number(attributes.SentTimestamp) };
}
