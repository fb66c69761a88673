import { writeIncomingEvent } from '../events/incoming.ts';
import type { ListingChangeQueue } from '../products/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The changes queue, for what product commands say of listings: events as a partner would send them (design §6.1). */
export function createListingChangeQueue(sender: QueueSender): ListingChangeQueue {
  return {
    send: async ({ storeClientId, commandId, time, version, prices, stocks }) => {
      const changes = [
        { detailType: 'price.changed', items: prices },
        { detailType: 'stock.changed', items: stocks },
      ] as const;
      const bodies = changes
        .filter(({ items }) => items.length > 0)
        .map(({ detailType, items }) =>
          writeIncomingEvent({
            id: commandId,
            time,
            detailType,
            detail: {
              storeClientId,
              // As text, of which the schema takes any time.
              ...(version === undefined ? { occurredAt: new Date(time).toISOString() } : { version }),
              commandId,
              items: [...items],
            },
          }),
        );
      await sender.send(bodies);
    },
  };
}
