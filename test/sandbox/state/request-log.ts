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
  /** Null while there is no answer, and for good when the connection was cut. */
  status: number | null;
  errorCode: string | null;
  bodyHash: string;
  /** Requests of the partner that waited for their answers when this one had arrived, itself included. */
  inFlight: number;
  /** What the request met of the faults that were asked for. */
  fault: Fault | null;
}

/** What the page for people shows of a signature. */
export interface SignatureTrace {
  /** The base string that the server computed, the store token masked. */
  baseString: string;
  /** Request line and signed headers as they came, the store token masked. */
  sent: string;
  hint: string;
}

/** The requests of the API in the order of their arrival. */
export class RequestLog {
  readonly #entries: RequestEntry[] = [];
  readonly #inFlight = new Map<string | null, number>();
  readonly #traces = new WeakMap<RequestEntry, SignatureTrace>();

  open(entry: Omit<RequestEntry, 'sequence' | 'status' | 'errorCode' | 'inFlight' | 'fault'>): RequestEntry {
    const inFlight = this.#countInFlight(entry, 1);
    const sequence = this.#entries.length + 1;
    const opened = { sequence, ...entry, status: null, errorCode: null, inFlight, fault: null };
    this.#entries.push(opened);
    return opened;
  }

  /** The request is in flight no more: it is answered, or its caller has gone. To be told once. */
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

  trace(entry: RequestEntry, trace: SignatureTrace): void {
    this.#traces.set(entry, trace);
  }

  traceOf(entry: RequestEntry): SignatureTrace | undefined {
    return this.#traces.get(entry);
  }
}
