/** One request of the API as the control `GET /sandbox/requests` shows it. */
export interface RequestEntry {
  sequence: number;
  /** ISO 8601, of arrival. */
  time: string;
  method: string;
  /** Below `/api/v1`, as sent. */
  path: string;
  query: string;
  storeClientId: string | null;
  /** Number of rows in the body. */
  items: number;
  /** Null while there is no answer, and for good when the connection was cut. */
  status: number | null;
  errorCode: string | null;
  bodyHash: string;
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
  readonly #traces = new WeakMap<RequestEntry, SignatureTrace>();

  open(entry: Omit<RequestEntry, 'sequence' | 'status' | 'errorCode'>): RequestEntry {
    const opened = { sequence: this.#entries.length + 1, ...entry, status: null, errorCode: null };
    this.#entries.push(opened);
    return opened;
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
