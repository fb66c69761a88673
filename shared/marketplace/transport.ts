import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { TransportError } from './errors.ts';

export interface TransportRequest {
  readonly method: string;
  /** Absolute URL, percent-encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent byte for byte. */
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole exchange, connecting included. */
  readonly timeoutMs: number;
  /** Most bytes of the answer's body. A longer answer fails. */
  readonly maxBodyBytes: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lowercase; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer whose body is still being received. */
export interface OpenResponse extends Omit<TransportResponse, 'body'> {
  /** Can be read once. Throws if the body ends before it is complete. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends one request and receives its complete answer. It follows no redirects and never retries. */
export interface Transport {
  /**
   * `read` gets the body while it is received. The request's limits apply until the body ends. If `read` ends before the body, the
   * connection is destroyed.
   *
   * @throws {TransportError} without a complete answer, whatever the result of `read`. The error's `sent` says whether the request may
   * have been sent. With a complete answer, errors of `read` are thrown.
   */
  receive<Answer>(
    request: TransportRequest,
    read: (response: OpenResponse) => Promise<Answer>,
  ): Promise<Answer>;
}

/** A connection must be made within this time. */
const CONNECT_TIMEOUT_MS = 5_000;
/** An idle connection is kept this long for reuse. Most servers keep it for 5,000 ms. */
const KEEP_ALIVE_MS = 4_000;

interface HttpTransportOptions {
  /** Open connections per origin; default 10. */
  readonly connections?: number;
  /** Epoch milliseconds; default the system's. */
  readonly clock?: { now(): number };
}

/** A {@link Transport} over HTTP/1.1 with reused connections. `close` ends them at once. */
export interface HttpTransport extends Transport {
  close(): Promise<void>;
}

/**
 * Creates the transport used in production, over undici's pool per origin. It uses undici's dispatch events instead of
 * `request`: only they show whether a failed request had been written to a connection.
 *
 * The transport drops idle connections by the clock. Undici's own keep-alive timers do not count the time that Lambda freezes a
 * function between invocations, so undici could reuse a connection that the server has closed: an unknown outcome.
 */
export function createHttpTransport(options: HttpTransportOptions = {}): HttpTransport {
  const { connections = 10, clock = Date } = options;
  const createAgent = () =>
    new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      // Only the exchange's own time limit applies.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  let agent = createAgent();
  let inFlight = 0;
  let lastUsedAt = clock.now();
  let closed = false;

  const dropStaleConnections = async () => {
    if (closed || inFlight > 0 || clock.now() - lastUsedAt <= KEEP_ALIVE_MS) return;
    const stale = agent;
    agent = createAgent();
    await stale.destroy();
  };

  const receive: Transport['receive'] = async (request, read) => {
    const dropped = dropStaleConnections();
    inFlight++;
    try {
      return await new Exchange(request).run(agent, read);
    } finally {
      inFlight--;
      lastUsedAt = clock.now();
      await dropped;
    }
  };

  return {
    receive,
    close: () => {
      closed = true;
      return agent.destroy();
    },
  };
}

/** Receiving pauses while more bytes than this are unread. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** One request in flight. It ends exactly once: by the answer's end, a failure, the time limit or an abort. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #started: Promise<Omit<OpenResponse, 'body'>>;
  readonly #failed: Promise<never>;
  #start: (head: Omit<OpenResponse, 'body'>) => void = () => {};
  #reject: (failure: TransportError) => void = () => {};
  readonly #body = new Readable({ highWaterMark: MAX_UNREAD_BYTES, read: () => this.#controller?.resume() });
  #controller: Dispatcher.DispatchController | undefined;
  #failure: TransportError | undefined;
  #isComplete = false;
  #bytes = 0;

  constructor(request: TransportRequest) {
    this.#request = request;
    // Not Promise.withResolvers, which Node.js 20 does not have.
    this.#started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.#failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // A reader gets the failure through its iterator. Without a reader, the rejection must not stay unhandled.
    this.#failed.catch(() => undefined);
    this.#body.on('error', () => undefined);
  }

  async run<Answer>(agent: Agent, read: (response: OpenResponse) => Promise<Answer>): Promise<Answer> {
    const { signal, timeoutMs } = this.#request;
    if (signal?.aborted) throw new TransportError('aborted', 'aborted before sending', { sent: false });
    const onAbort = () => this.#giveUp('aborted', 'aborted by the caller');
    const timer = setTimeout(() => this.#giveUp('timeout', `no answer within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#dispatch(agent);
      const head = await Promise.race([this.#started, this.#failed]);
      return await Promise.race([read({ ...head, body: this.#body }), this.#failed]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#giveUp('aborted', 'the answer was not read to its end');
    }
  }

  #dispatch(agent: Agent): void {
    const { method, url, headers, body } = this.#request;
    const { origin, pathname, search } = new URL(url);
    agent.dispatch(
      { origin, path: pathname + search, method, headers: { ...headers }, body: body ?? null },
      this,
    );
  }

  /** Ends the exchange unless it has ended. Aborting the controller destroys the socket, so nothing more arrives. */
  #giveUp(reason: TransportError['reason'], message: string): void {
    if (this.#failure || this.#isComplete) return;
    const failure = new TransportError(reason, message, { sent: this.#controller !== undefined });
    this.#fail(failure);
    this.#controller?.abort(failure);
  }

  #fail(failure: TransportError): void {
    this.#failure = failure;
    this.#reject(failure);
    this.#body.destroy(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#failure) controller.abort(this.#failure);
    else this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    rawHeaders: Record<string, string | string[] | undefined>,
  ): void {
    const isInformational = status < 200;
    if (isInformational) return;
    const headers = Object.fromEntries(
      Object.entries(rawHeaders).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
    );
    this.#limit(Number(headers['content-length'] ?? 0));
    this.#start({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#limit(this.#bytes);
    if (!this.#body.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    this.#body.push(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#failure) return;
    const sent = this.#controller !== undefined;
    this.#fail(
      new TransportError(sent ? 'connectionCut' : 'connectFailed', error.message, { sent, cause: error }),
    );
  }

  #limit(bytes: number): void {
    const { maxBodyBytes } = this.#request;
    if (bytes > maxBodyBytes) this.#giveUp('answerTooLarge', `answer of more than ${maxBodyBytes} bytes`);
  }
}
