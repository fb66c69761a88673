import type { Explanation } from '../explanation/explain-signature.ts';
import type { Fault } from './faults.ts';

/** A request of the API in `GET /sandbox/requests`. */
export interface RequestEntry {
  sequence: number;
  /** ISO 8601, of arrival. */
  time: string;
  method: string;
  /** Path below `/api/v1`, as sent. */
  path: string;
  query: string;
  /** The partner's ID from the header, not verified. */
  partnerClientId: string | null;
  storeClientId: string | null;
  /** Number of rows in the body. */
  items: number;
  /** Null until the request is answered; stays null when the connection was cut. */
  status: number | null;
  errorCode: string | null;
  bodyHash: string;
  /** Unanswered requests of the partner when this request arrived, this one included. */
  inFlight: number;
  /** The fault that the request met. */
  fault: Fault | null;
}

/** The contents of a request and its answer. */
export interface Contents {
  requestId: string;
  /** Request line and headers as received, the store token masked. */
  head: string;
  body: string;
  /** The body of the answer; null without an answer. */
  answer: string | null;
}

/** The contents of this many latest requests are kept. */
export const KEPT_CONTENTS = 200;

/** The requests of the API in the order of arrival. */
export class RequestLog {
  readonly #entries: RequestEntry[] = [];
  readonly #inFlight = new Map<string | null, number>();
  readonly #explanations = new WeakMap<RequestEntry, Explanation>();
  readonly #contents = new Map<number, Contents>();

  open(entry: Omit<RequestEntry, 'sequence' | 'status' | 'errorCode' | 'inFlight' | 'fault'>): RequestEntry {
    const inFlight = this.#countInFlight(entry, 1);
    const sequence = this.#entries.length + 1;
    const opened = { sequence, ...entry, status: null, errorCode: null, inFlight, fault: null };
    this.#entries.push(opened);
    return opened;
  }

  /** Call it once, when the request is answered or its connection has ended. */
  close(entry: RequestEntry): void {
    this.#countInFlight(entry, -1);
  }

  #countInFlight({ partnerClientId }: Pick<RequestEntry, 'partnerClientId'>, change: 1 | -1): number {
    const count = (this.#inFlight.get(partnerClientId) ?? 0) + change;
    this.#inFlight.set(partnerClientId, count);
    return count;
  }

  /** The entries whose sequence number is greater than `sequence`. */
  since(sequence: number): RequestEntry[] {
    return this.#entries.slice(Math.max(0, sequence));
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Records why a request was refused. */
  explain(entry: RequestEntry, explanation: Explanation): void {
    this.#explanations.set(entry, explanation);
  }

  explanationOf(entry: RequestEntry): Explanation | undefined {
    return this.#explanations.get(entry);
  }

  /** Keeps the contents until 200 later requests have arrived. */
  keep({ sequence }: RequestEntry, contents: Contents): void {
    this.#contents.set(sequence, contents);
    const oldest = this.#contents.keys().next();
    if (this.#contents.size > KEPT_CONTENTS && !oldest.done) this.#contents.delete(oldest.value);
  }

  contentsOf({ sequence }: RequestEntry): Contents | undefined {
    return this.#contents.get(sequence);
  }

  /** The sequence number of a request whose contents are still kept. */
  sequenceOf(requestId: string): number | undefined {
    for (const [sequence, contents] of this.#contents) if (contents.requestId === requestId) return sequence;
    return undefined;
  }
}
