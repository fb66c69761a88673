import type { RetryQueue } from '../batches/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The product commands queue, for commands that try failed rows again. */
export function createRetryQueue(sender: QueueSender): RetryQueue {
  return {
    send: ({ detailType, commandId, time, ...detail }) =>
      sender.send([
        JSON.stringify({ id: commandId, time, 'detail-type': detailType, detail: { ...detail, commandId } }),
      ]),
  };
}
