import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { packAll } from '../collections/packer.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';
import { untilProcessed } from './until-processed.ts';

/** SQS's own limit of one message, and of one batch of them together, in bytes. */
export const MAX_MESSAGE_BYTES = 1_048_576;
const BATCH_LIMITS = { maxItems: 10, maxBytes: MAX_MESSAGE_BYTES };
const MAX_DELAY_SECONDS = 900;

export interface QueueSender {
  /**
   * Durable in the queue when it resolves. `delayMs` is rounded up to whole seconds, at most 900 s.
   *
   * @throws ConnectorError `MESSAGES_NOT_SENT` (retryable) when SQS kept refusing some
   */
  send(bodies: readonly string[], options?: { delayMs?: number }): Promise<void>;
}

/** Sends messages to one queue in as few calls as SQS's limits allow. */
export function createQueueSender(
  client: SQSClient,
  queueUrl: string,
  clock: Pick<Clock, 'sleep'> = systemClock,
): QueueSender {
  return {
    send: async (bodies, { delayMs = 0 } = {}) => {
      const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.ceil(Math.max(0, delayMs) / 1000));
      const batches = packAll(bodies, BATCH_LIMITS, (body) => Buffer.byteLength(body));
      for (const batch of batches) {
        const entries = batch.map((MessageBody, index) => ({
          Id: String(index),
          MessageBody,
          DelaySeconds: delaySeconds,
        }));
        await untilProcessed(entries, (open) => sendBatch(client, queueUrl, open), {
          code: 'MESSAGES_NOT_SENT',
          details: { queueUrl },
          clock,
        });
      }
    },
  };
}

/** SQS answers 200 with the entries that failed, which are returned. */
async function sendBatch<Entry extends SendMessageBatchRequestEntry>(
  client: SQSClient,
  queueUrl: string,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: [...entries] }),
  );
  const failed = new Set(Failed.map(({ Id }) => Id));
  return entries.filter(({ Id }) => failed.has(Id));
}

/** The wake queue: one message per ticket. */
export function createTicketQueue(sender: QueueSender) {
  return {
    send: (tickets: readonly object[], options?: { delayMs?: number }) =>
      sender.send(
        tickets.map((ticket) => JSON.stringify(ticket)),
        options,
      ),
  };
}

/** A queue of commands, for one that is to be delivered again. */
export function createCommandQueue(sender: QueueSender) {
  return { sendLater: (body: string, delayMs: number) => sender.send([body], { delayMs }) };
}
