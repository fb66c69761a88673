import type { Ticket } from '../../shared/lanes/model.ts';
import type { TicketQueue } from '../../shared/lanes/ports.ts';
import { directly, type Step } from './step.ts';

const MAX_DELAY_MS = 900_000;

/** A ticket with the time that it stays invisible, in milliseconds. */
export interface DelayedTicket {
  readonly ticket: Ticket;
  readonly delayMs: number;
}

/** The sending side of the wake queue in memory: passes each ticket to `accept`. */
export function inMemoryTicketQueue(
  accept: (ticket: DelayedTicket) => void,
  step: Step = directly,
): TicketQueue {
  return {
    send: (tickets, { delayMs = 0 } = {}) =>
      step(`tickets.send ${tickets.map(({ storeClientId }) => storeClientId).join(' ')}`, () => {
        const wholeSeconds = Math.ceil(Math.max(0, delayMs) / 1000) * 1000;
        for (const ticket of tickets) accept({ ticket, delayMs: Math.min(MAX_DELAY_MS, wholeSeconds) });
      }),
  };
}
