import { EVENT_SOURCE } from '../../../shared/settings/stack-rules.ts';
import { type BusEvent, type Subscription, subscribe } from '../../bus/subscription.ts';
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
  /**
   * Adds a queue and a rule to the stack and keeps what comes, until the console ends or a read fails. A call while it
   * listens changes nothing.
   */
  listen(): Promise<void>;
  state(): { isListening: boolean; events: readonly ShownEvent[]; error?: ConsoleError };
}

const KEPT = 200;

/** The events of the bus, read by one subscription for all pages. */
export function createBusStream(options: Pick<ConsoleOptions, 'aws' | 'target'>): BusStream {
  const events: ShownEvent[] = [];
  let sequence = 0;
  let subscribing: Promise<Subscription> | undefined;
  let reading: Promise<void> | undefined;
  let hasEnded = false;
  let error: ConsoleError | undefined;

  /** Reads until the console ends, or a read fails: then a page may listen again. */
  async function readOn(subscription: Subscription): Promise<void> {
    try {
      while (!hasEnded) keep(await subscription.next());
    } catch (thrown) {
      error = errorAnswer(thrown).body.error;
      [subscribing, reading] = [undefined, undefined];
      await subscription[Symbol.asyncDispose]();
    }
  }

  function keep(received: readonly BusEvent[]): void {
    for (const { id, time, source, 'detail-type': detailType, detail } of received) {
      sequence += 1;
      const direction = source === EVENT_SOURCE ? 'out' : 'in';
      events.push({ sequence, id, time, direction, detailType, detail });
    }
    events.splice(0, events.length - KEPT);
  }

  return {
    async listen() {
      if (subscribing !== undefined) return;
      error = undefined;
      subscribing = subscribe(options);
      try {
        // The same failure can keep the queue from being removed. SQS drops what is not read.
        reading = readOn(await subscribing).catch(() => {});
      } catch (thrown) {
        subscribing = undefined;
        throw thrown;
      }
    },
    state: () => ({
      isListening: reading !== undefined,
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
