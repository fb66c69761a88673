import type { RetryQueue } from '../batches/ports.ts';
import { writeIncomingEvent } from '../events/incoming.ts';
import type { ListingChangeQueue, ProductCommandQueue } from '../products/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The changes queue, for what product commands say of listings: events as a partner would send them. */
export function createListingChangeQueue(sender: QueueSender): ListingChangeQueue {
  return {
    send: ({ storeClientId, commandId, time, version, prices, stocks }) => {
      const changes = [
        { detailType: 'price.changed', items: prices },
        { detailType: 'stock.changed', items: stocks },
      ] as const;
      // As text: the schema takes any time in that form.
      const when = version === undefined ? { occurredAt: new Date(time).toISOString() } : { version };
      const bodies = changes
        .filter(({ items }) => items.length > 0)
        .map(({ detailType, items }) => {
          const detail = { storeClientId, ...when, commandId, items: [...items] };
          return writeIncomingEvent({ id: commandId, time, detailType, detail });
        });
      return sender.send(bodies);
    },
  };
}

/** The product commands queue: each message is the event as a partner would send it. */
export function createProductCommandQueue(sender: QueueSender): ProductCommandQueue {
  return {
    sendSyncs: (messages) =>
      sender.send(
        messages.map(({ time, products, ...command }) =>
          writeIncomingEvent({
            id: command.commandId,
            time: Date.parse(time),
            detailType: 'catalog.sync.requested',
            detail: { ...command, products: [...products] },
          }),
        ),
      ),
  };
}

/** The product commands queue, for commands that try failed rows again. */
export function createRetryQueue(sender: QueueSender): RetryQueue {
  return {
    send: ({ detailType, time, products, ...command }) => {
      const detail = { ...command, products: [...products] };
      const id = command.commandId;
      return sender.send([writeIncomingEvent({ id, time: Date.parse(time), detailType, detail })]);
    },
  };
}
