import { setTimeout as pause } from 'node:timers/promises';
import type { QueueMessage, QueuePort } from '../../../../local/aws/model.ts';

/** A queue in memory: received messages never become visible again. */
export interface MemoryQueue extends QueuePort {
  send(...bodies: string[]): void;
  /** Bodies received and not deleted. */
  inFlight(): string[];
  readonly receives: number[];
}

export function createMemoryQueue(): MemoryQueue {
  const visible: QueueMessage[] = [];
  const inFlight = new Map<string, string>();
  const receives: number[] = [];
  let count = 0;
  let arrival = Promise.withResolvers<void>();

  const waitForMessages = (seconds: number, signal: AbortSignal) =>
    Promise.race([arrival.promise, pause(seconds * 1000, undefined, { signal, ref: false })]);

  return {
    receives,
    send(...bodies) {
      for (const body of bodies) {
        count += 1;
        const messageId = `m-${count}`;
        visible.push({
          messageId,
          receiptHandle: `r-${count}`,
          body,
          md5OfBody: '',
          attributes: {},
          messageAttributes: {},
        });
      }
      arrival.resolve();
      arrival = Promise.withResolvers();
    },
    async receive({ maxMessages, waitSeconds, signal }) {
      receives.push(maxMessages);
      if (visible.length === 0) await waitForMessages(waitSeconds, signal);
      const messages = visible.splice(0, maxMessages);
      for (const { receiptHandle, body } of messages) inFlight.set(receiptHandle, body);
      return messages;
    },
    async delete(receiptHandles) {
      if (receiptHandles.length > 10) throw new Error('TooManyEntriesInBatchRequest');
      for (const handle of receiptHandles) inFlight.delete(handle);
    },
    inFlight: () => [...inFlight.values()],
  };
}
