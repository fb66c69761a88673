import type { ListingChangeQueue } from '../products/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The changes queue, for what product commands say of listings: events as a partner would send them (design §6.1). */
export function createListingChangeQueue(sender: QueueSender): ListingChangeQueue {
  return {
    send: async ({ storeClientId, commandId, occurredAt, prices, stocks }) => {
      const events = [
        { 'detail-type': 'price.changed', items: prices },
        { 'detail-type': 'stock.changed', items: stocks },
      ];
      const bodies = events
        .filter(({ items }) => items.length > 0)
        .map(({ items, ...event }) =>
          JSON.stringify({
            id: commandId,
            ...event,
            detail: { storeClientId, occurredAt, commandId, items },
          }),
        );
      await sender.send(bodies);
    },
  };
}
