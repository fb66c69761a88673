import { packAll } from '../collections/packer.ts';
import { writeChanges, writeIncomingEvent } from '../events/incoming.ts';
import type { ImportQueue } from '../imports/import-message.ts';
import type { FileRowQueue } from '../imports/ports.ts';
import type { ListingChangeQueue } from '../products/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** Far below the size limit of a message, 1 MB. */
const CREATED_PER_MESSAGE = { maxItems: 1_000, maxBytes: 200_000 };

/** The changes queue, for prices and stock in product commands, as events, and for created products. */
export function createListingChangeQueue(sender: QueueSender): ListingChangeQueue {
  return {
    send: ({ commandId, ...changes }) =>
      sender.send(writeChanges({ id: commandId, ...changes, isOfCommand: true })),

    sendRenamed: ({ storeClientId, commandId, time, version, from, to }) => {
      const detail = { storeClientId, commandId, from, to, ...(version !== undefined && { version }) };
      return sender.send([
        writeIncomingEvent({ id: commandId, time, detailType: 'product.renamed', detail }),
      ]);
    },

    sendCreated: ({ storeClientId, products, knownAt, sentAt }) =>
      sender.send(
        packAll(products, CREATED_PER_MESSAGE).map((some) => {
          const detail = { storeClientId, products: some, knownAt, ...(sentAt !== undefined && { sentAt }) };
          return writeIncomingEvent({
            id: `created/${knownAt}`,
            time: knownAt,
            detailType: 'products.created',
            detail,
          });
        }),
      ),
  };
}

/** The queues for rows of files. Messages are events as partners send them. */
export function createFileRowQueue(senders: {
  readonly productCommands: QueueSender;
  readonly changes: QueueSender;
}): FileRowQueue {
  return {
    send: async (events) => {
      const byQueue = Map.groupBy(events, ({ detailType }) =>
        detailType === 'catalog.sync.requested' ? senders.productCommands : senders.changes,
      );
      for (const [sender, own] of byQueue) await sender.send(own.map((event) => writeIncomingEvent(event)));
    },
  };
}

export function createImportQueue(sender: QueueSender): ImportQueue {
  return { send: (message, delayMs = 0) => sender.send([JSON.stringify(message)], { delayMs }) };
}
