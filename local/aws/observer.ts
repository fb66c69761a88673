import type { BusEvent } from './services/eventbridge/event.ts';

/** One call of the HTTP API with its answer. */
export interface ApiCall {
  readonly method: string;
  /** The path without the query: the query of a presigned URL is a credential. */
  readonly path: string;
  readonly status: number;
}

/** Gets the events and calls that come into a run, as they happen. Its methods must not throw. */
export interface Observer {
  /** An event was put on a bus, by a client or by the stack itself. */
  event?(event: BusEvent, bus: string): void;
  /** The HTTP API has answered. */
  call?(call: ApiCall): void;
}
