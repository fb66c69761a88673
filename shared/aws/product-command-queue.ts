import { writeIncomingEvent } from '../events/incoming.ts';
import type { ProductCommandQueue } from '../products/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The product commands queue: each message is the event as a partner would send it (design §6.1). */
export function createProductCommandQueue(sender: QueueSender): ProductCommandQueue {
  return {
    sendSync: ({ storeClientId, commandId, time, products }) =>
      sender.send([
        writeIncomingEvent({
          id: commandId,
          time: Date.parse(time),
          detailType: 'catalog.sync.requested',
          detail: { storeClientId, commandId, products: [...products] },
        }),
      ]),
  };
}
