import { setTimeout as pause } from 'node:timers/promises';
import type { QueueMessage, QueuePort } from '../model.ts';
import { type SqsRecord, toSqsRecord } from './sqs-event.ts';

/** SQS's own limit on a receive. */
const MESSAGES_PER_RECEIVE = 10;
/** The longest wait of SQS. A stop ends it. */
const LONG_POLL_SECONDS = 20;
/** Lambda's limit on an event, less the brackets around the records. */
const LARGEST_BATCH_BYTES = 6 * 1024 * 1024 - 100;

/**
 * Collects messages of a queue to batches. A batch is complete when it has `batchSize` messages, when the next message would make it too
 * large for an event, or when `windowSeconds` have passed since its first message.
 */
export function createBatchGatherer(options: {
  queue: Pick<QueuePort, 'receive'>;
  queueArn: string;
  batchSize: number;
  windowSeconds: number;
  /** Ends the wait for messages: a batch that is being gathered then fails. */
  signal: AbortSignal;
}): {
  /** The next batch; empty when no message arrived while the queue was polled. */
  next(): Promise<SqsRecord[]>;
  /** Received messages that did not fit the last batch. */
  held(): number;
} {
  const { queue, queueArn, batchSize, signal } = options;
  const overflow: SqsRecord[] = [];

  async function receive(room: number, waitSeconds: number): Promise<SqsRecord[]> {
    const maxMessages = Math.min(room, MESSAGES_PER_RECEIVE);
    const messages: QueueMessage[] = await queue.receive({ maxMessages, waitSeconds, signal });
    return messages.map((message) => toSqsRecord(message, queueArn));
  }

  /** Receives until the end of the window. SQS waits whole seconds, so the last fraction of a second is waited here. */
  async function receiveWithin(room: number, remainingMs: number): Promise<SqsRecord[]> {
    const wholeSeconds = Math.min(LONG_POLL_SECONDS, Math.floor(remainingMs / 1000));
    if (wholeSeconds > 0) return receive(room, wholeSeconds);
    const received = await receive(room, 0);
    if (received.length === 0) await pause(Math.min(remainingMs, 20), undefined, { signal });
    return received;
  }

  return {
    async next() {
      const batch: SqsRecord[] = [];
      let bytes = 0;
      let full = false;
      const add = (records: SqsRecord[]): void => {
        for (const record of records) {
          const size = Buffer.byteLength(JSON.stringify(record)) + 1;
          full ||= batch.length >= batchSize || (batch.length > 0 && bytes + size > LARGEST_BATCH_BYTES);
          if (full) {
            overflow.push(record);
          } else {
            batch.push(record);
            bytes += size;
          }
        }
      };

      add(overflow.splice(0));
      if (batch.length === 0) add(await receive(batchSize, LONG_POLL_SECONDS));
      const closesAt = performance.now() + options.windowSeconds * 1000;
      while (batch.length > 0 && batch.length < batchSize && !full) {
        const remainingMs = closesAt - performance.now();
        if (remainingMs <= 0) break;
        add(await receiveWithin(batchSize - batch.length, remainingMs));
      }
      return batch;
    },
    held: () => overflow.length,
  };
}
