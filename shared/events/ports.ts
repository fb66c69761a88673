import type { OutgoingEvent } from './outgoing.ts';

/** The stack's event bus, outgoing side. */
export interface EventPublisher {
  /** Durable on the bus when it resolves; throws when any entry was not taken. */
  publish(events: readonly OutgoingEvent[]): Promise<void>;
}
