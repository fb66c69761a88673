import type { TicketQueue } from '../lanes/ports.ts';
import type { QueueSender } from './queue-sender.ts';

/** The wake queue: one message per ticket. */
export function createTicketQueue(sender: QueueSender): TicketQueue {
  return {
    send: (tickets, options) =>
      sender.send(
        tickets.map((ticket) => JSON.stringify(ticket)),
        options,
      ),
  };
}
