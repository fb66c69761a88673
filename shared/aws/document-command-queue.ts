import type { DocumentCommandQueue } from '../documents/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The document commands queue, for a command that is to come again: the event as it came, with its defaults. */
export function createDocumentCommandQueue(sender: QueueSender): DocumentCommandQueue {
  return {
    sendLater: ({ eventId, time, ...detail }, delayMs) =>
      sender.send(
        [
          JSON.stringify({
            id: eventId,
            time: new Date(time).toISOString(),
            'detail-type': 'order.document.requested',
            detail,
          }),
        ],
        { delayMs },
      ),
  };
}
