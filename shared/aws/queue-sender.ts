import { createHash } from 'node:crypto';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { SummaryQueue } from '../batches/ports.ts';
import { packAll } from '../collections/packer.ts';
import { parseJson, toMessageText } from '../collections/parse-json.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/system-clock.ts';
import { untilProcessed } from './until-processed.ts';

/** SQS's limit in bytes, of a single message and of a whole batch. */
export const MAX_MESSAGE_BYTES = 1_048_576;
const BATCH_LIMITS = { maxItems: 10, maxBytes: MAX_MESSAGE_BYTES };
const MAX_DELAY_SECONDS = 900;

export interface QueueSender {
  /**
   * Resolves when all messages, each a JSON text, are durable in the queue. `delayMs` is rounded up to whole seconds, at most 900 s.
   *
   * @throws ConnectorError `MESSAGES_NOT_SENT` (retryable) when SQS refuses some messages at every try, `BODY_TOO_LARGE` when a message
   * is larger than SQS takes: then no message is sent
   */
  send(bodies: readonly string[], options?: { delayMs?: number }): Promise<void>;
}

/**
 * Sends messages of JSON to a queue in as few calls as the limits of SQS allow. The message group is the message's store: if one store
 * has many messages, SQS hands out messages of other stores first.
 */
export function createQueueSender(
  client: SQSClient,
  queueUrl: string,
  clock: Pick<Clock, 'sleep'> = systemClock,
): QueueSender {
  return {
    send: async (bodies, { delayMs = 0 } = {}) => {
      const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.ceil(Math.max(0, delayMs) / 1000));
      for (const batch of packAll(bodies.map(toMessageText), BATCH_LIMITS, checkedSize)) {
        const entries = batch.map((MessageBody, index) => ({
          Id: String(index),
          MessageBody,
          DelaySeconds: delaySeconds,
          ...groupOf(MessageBody),
        }));
        const sendBatch = async (open: typeof entries) => {
          const { Failed = [] } = await client.send(
            new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: open }),
          );
          return open.filter((entry) => Failed.some(({ Id }) => Id === entry.Id));
        };
        await untilProcessed(entries, sendBatch, {
          code: 'MESSAGES_NOT_SENT',
          details: { queueUrl },
          clock,
        });
      }
    },
  };
}

const ofStoreSchema = z.object({ storeClientId: z.string() });
const messageSchema = z.union([ofStoreSchema, z.object({ detail: ofStoreSchema })]);
/** What SQS takes as a message group. */
const GROUP = /^[!-~]{1,128}$/;

/** The message group of a store's message. A message without a store gets no group, and counts as its own group. */
function groupOf(body: string): { MessageGroupId?: string } {
  const { data } = messageSchema.safeParse(parseJson(body));
  if (data === undefined) return {};
  const { storeClientId } = 'detail' in data ? data.detail : data;
  const MessageGroupId = GROUP.test(storeClientId)
    ? storeClientId
    : createHash('sha256').update(storeClientId).digest('hex');
  return { MessageGroupId };
}

/** The size in bytes. A body may have grown since it was checked: `1e20` is written out, and some characters become escapes. */
function checkedSize(body: string): number {
  const bytes = Buffer.byteLength(body);
  if (bytes <= MAX_MESSAGE_BYTES) return bytes;
  throw new ConnectorError(`as a message, the body has ${bytes} bytes, more than ${MAX_MESSAGE_BYTES}`, {
    code: 'BODY_TOO_LARGE',
  });
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

/** The queue of received summaries. */
export function createSummaryQueue(sender: QueueSender): SummaryQueue {
  return { send: (summary) => sender.send([JSON.stringify(summary)]) };
}

/** A command queue, for deferred commands. */
export function createCommandQueue(sender: QueueSender) {
  return { sendLater: (body: string, delayMs: number) => sender.send([body], { delayMs }) };
}
