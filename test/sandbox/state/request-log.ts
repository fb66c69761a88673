import type { Explanation } from '../explanation/explain-signature.ts';
import type { Fault } from './faults.ts';

/** One request of the API as the control `GET /sandbox/requests` shows it. */
export interface RequestEntry {
  sequence: number;
  /** ISO 8601, of arrival. */
  time: string;
  method: string;
  /** Below `/api/v1`, as sent. */
  path: string;
  query: string;
  /** As the request says, whether it is true or not. */
  partnerClientId: string | null;
  storeClientId: string | null;
  /** Number of rows in the body. */
  items: number;
  /** Null while there is no answer; it stays null when the connection was cut. */
  status: number | null;
  errorCode: string | null;
  bodyHash: string;
  /** Requests of the partner that waited for their answers when this one had arrived, itself included. */
  inFlight: number;
  /** What the request met of the faults that were asked for. */
  fault: Fault | null;
}

/** What a request and its answer carried. */
export interface Contents {
  requestId: string;
  /** Request line and headers as they came, the store token masked. */
  head: string;
  body: string;
  /** The body of the answer; null where there is none. */
  answer: string | null;
}

/** How many requests, the latest, have their contents kept. */
export const KEPT_CONTENTS = 200;

/** The requests of the API in the order of their arrival. */
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

  /** The request is no longer in flight: it is answered, or its caller has gone. Call it once. */
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

  /** Keeps why a request was refused. */
  explain(entry: RequestEntry, explanation: Explanation): void {
    this.#explanations.set(entry, explanation);
  }

  explanationOf(entry: RequestEntry): Explanation | undefined {
    return this.#explanations.get(entry);
  }

  /** Keeps what a request carried until 200 later ones have arrived. */
  keep({ sequence }: RequestEntry, contents: Contents): void {
    this.#contents.set(sequence, contents);
    const oldest = this.#contents.keys().next();
    if (this.#contents.size > KEPT_CONTENTS && !oldest.done) this.#contents.delete(oldest.value);
  }

  contentsOf({ sequence }: RequestEntry): Contents | undefined {
    return this.#contents.get(sequence);
  }

  /** The request of this ID, as long as its contents are kept. */
  sequenceOf(requestId: string): number | undefined {
    for (const [sequence, contents] of this.#contents) if (contents.requestId === requestId) return sequence;
    return undefined;
  }
}
