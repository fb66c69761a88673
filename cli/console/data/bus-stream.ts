import { incomingDetailTypes } from '../../../shared/events/incoming.ts';
import { EVENT_SOURCE, outgoingDetailSchemas } from '../../../shared/events/outgoing.ts';
import { subscribe } from '../../bus/subscription.ts';
import { type ConsoleError, errorAnswer } from '../answers.ts';
import type { ConsoleOptions } from '../console-options.ts';

/** An event on the bus, as the page shows it. */
export interface ShownEvent {
  /** Counts from 1 in the order of arrival. */
  readonly sequence: number;
  readonly id: string;
  readonly time: string;
  readonly direction: 'in' | 'out';
  readonly detailType: string;
  readonly detail: { readonly [name: string]: unknown };
}

export interface BusStream extends AsyncDisposable {
  /** Adds a queue and a rule to the stack and keeps what comes, until the console ends. A second call changes nothing. */
  listen(): Promise<void>;
  state(): { isListening: boolean; events: readonly ShownEvent[]; error?: ConsoleError };
}

const KEPT = 200;
const DETAIL_TYPES = [...incomingDetailTypes, ...Object.keys(outgoingDetailSchemas)];

/** The events of the bus, read by one subscription for all pages. */
export function createBusStream(options: Pick<ConsoleOptions, 'aws' | 'target'>): BusStream {
  const events: ShownEvent[] = [];
  let sequence = 0;
  let subscribing: ReturnType<typeof subscribe> | undefined;
  let reading: Promise<void> | undefined;
  let hasEnded = false;
  let error: ConsoleError | undefined;

  async function readOn(): Promise<void> {
    const subscription = await subscribing;
    while (subscription !== undefined && !hasEnded) {
      for (const { id, time, source, 'detail-type': detailType, detail } of await subscription.next()) {
        sequence += 1;
        const direction = source === EVENT_SOURCE ? 'out' : 'in';
        events.push({ sequence, id, time, direction, detailType, detail });
      }
      events.splice(0, events.length - KEPT);
    }
  }

  return {
    async listen() {
      if (subscribing !== undefined) return;
      error = undefined;
      subscribing = subscribe(options, DETAIL_TYPES);
      try {
        await subscribing;
      } catch (thrown) {
        subscribing = undefined;
        throw thrown;
      }
      reading = readOn().catch((thrown: unknown) => {
        error = errorAnswer(thrown).body.error;
      });
    },
    state: () => ({
      isListening: reading !== undefined && error === undefined,
      events: events.toReversed(),
      ...(error && { error }),
    }),
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      await reading;
      await (await subscribing?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
