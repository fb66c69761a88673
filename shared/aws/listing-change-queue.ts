import { writeIncomingEvent } from '../events/write-incoming-event.ts';
import type { ListingChangeQueue } from '../products/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The changes queue, for what product commands say of listings: events as a partner would send them (design §6.1). */
export function createListingChangeQueue(sender: QueueSender): ListingChangeQueue {
  return {
    send: async ({ storeClientId, commandId, occurredAt, version, prices, stocks }) => {
      // The time as text, of which the schema takes any.
      const versioned =
        version === undefined ? { occurredAt: new Date(occurredAt).toISOString() } : { version };
      const changes = [
        { detailType: 'price.changed', items: prices },
        { detailType: 'stock.changed', items: stocks },
      ] as const;
      const bodies = changes
        .filter(({ items }) => items.length > 0)
        .map(({ detailType, items }) =>
          writeIncomingEvent({
            id: commandId,
            time: occurredAt,
            detailType,
            detail: { storeClientId, ...versioned, commandId, items: [...items] },
          }),
        );
      await sender.send(bodies);
    },
  };
}
