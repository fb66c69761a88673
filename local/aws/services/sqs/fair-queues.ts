import { AsyncLocalStorage } from 'node:async_hooks';
import { internals, type QueuedMessage, type StoredQueue } from '../fauxqs-internals.ts';
import { nextInFairOrder } from './fair-order.ts';

interface SentMessage {
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
}

/** One message, or a batch of them. */
export interface Send extends SentMessage {
  readonly Entries?: readonly SentMessage[];
}

/** The messages of the send under way. */
const sending = new AsyncLocalStorage<SentMessage[]>();
const { enqueue, dequeue } = internals.SqsQueue.prototype;

/**
 * Makes standard queues fair queues. By itself, fauxqs drops the message groups, and hands messages out in the order of arrival.
 *
 * @returns a function that runs the handler of a send
 */
export function makeQueuesFair(): (send: Send, handle: () => void) => void {
  const { prototype } = internals.SqsQueue;

  prototype.enqueue = function (this: StoredQueue, message: QueuedMessage) {
    const sent = sending.getStore() ?? [];
    const position = sent.findIndex(({ MessageBody }) => MessageBody === message.body);
    const [own] = position < 0 ? [] : sent.splice(position, 1);
    message.messageGroupId ??= own?.MessageGroupId;
    enqueue.call(this, message);
  };

  prototype.dequeue = function (this: StoredQueue, most: number, ...rest: readonly unknown[]) {
    if (!this.isFifo()) {
      this.processTimers();
      const inFlight = [...this.inflightMessages.values()].map(({ message }) => message);
      const next = nextInFairOrder(this.messages, inFlight, most);
      if (next.some((message, position) => message !== this.messages[position])) {
        const chosen = new Set(next);
        this.messages = [...next, ...this.messages.filter((message) => !chosen.has(message))];
      }
    }
    return dequeue.call(this, most, ...rest);
  };

  return (send, handle) => sending.run(Array.isArray(send.Entries) ? [...send.Entries] : [send], handle);
}
