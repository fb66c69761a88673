import type { CommandQueue } from '../requests/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** A queue of commands, for one that is to come again. */
export function createCommandQueue(sender: QueueSender): CommandQueue {
  return { sendLater: (body, delayMs) => sender.send([body], { delayMs }) };
}
