import type { RetryQueue } from '../batches/ports.ts';
import { writeIncomingEvent } from '../events/incoming.ts';
import type { QueueSender } from './queue-sender.ts';

/** The product commands queue, for commands that try failed rows again. */
export function createRetryQueue(sender: QueueSender): RetryQueue {
  return {
    send: ({ detailType, storeClientId, commandId, time, retryOf, products }) => {
      const detail = { storeClientId, commandId, retryOf, products: [...products] };
      return sender.send([writeIncomingEvent({ id: commandId, time: Date.parse(time), detailType, detail })]);
    },
  };
}
