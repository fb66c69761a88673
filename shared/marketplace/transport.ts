import { Agent, type Dispatcher } from 'undici';
import { TransportError } from './errors.ts';

export interface TransportRequest {
  readonly method: string;
  /** Absolute, already percent-encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent byte for byte. */
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For the whole exchange, connecting included. */
  readonly timeoutMs: number;
  /** A longer answer is given up. */
  readonly maxBodyBytes: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lowercase; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Brings one request to a server and its complete answer back. It follows no redirects and repeats nothing. */
export interface Transport {
  /** @throws {TransportError} when there is no complete answer; `sent` tells whether the request may have left. */
  send(request: TransportRequest): Promise<TransportResponse>;
}

export interface HttpTransportOptions {
  /** Open connections per origin; default 10. */
  readonly connections?: number;
  /** How long an idle connection is kept for reuse, in milliseconds; default 4,000, as most servers keep 5,000. */
  readonly keepAliveMs?: number;
  /** Limit for making a connection, in milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Epoch milliseconds; default the system's. */
  readonly clock?: { now(): number };
}

/** A {@link Transport} over HTTP/1.1 with kept connections. `close` ends them at once. */
export interface HttpTransport extends Transport {
  close(): Promise<void>;
}

/**
 * Makes the transport used in production: undici's pool per origin. It works on undici's dispatch events instead of
 * its `request`, because only they tell whether a request had been written to a connection when it failed.
 *
 * The time that a function spends frozen between invocations does not count for undici's own keep-alive timers, so
 * that a connection which the server has long closed would be used again, and the request's outcome be unknown. So
 * idle connections are dropped here as well, by the clock.
 */
export function createHttpTransport(options: HttpTransportOptions = {}): HttpTransport {
  const { keepAliveMs = 4_000, clock = Date } = options;
  let agent = createAgent(options, keepAliveMs);
  let inFlight = 0;
  let lastUsedAt = clock.now();
  let closed = false;

  const dropStaleConnections = async () => {
    if (closed || inFlight > 0 || clock.now() - lastUsedAt <= keepAliveMs) return;
    const stale = agent;
    agent = createAgent(options, keepAliveMs);
    await stale.destroy();
  };

  return {
    send: async (request) => {
      const dropped = dropStaleConnections();
      inFlight++;
      try {
        return await new Exchange(request).run(agent);
      } finally {
        inFlight--;
        lastUsedAt = clock.now();
        await dropped;
      }
    },
    close: () => {
      closed = true;
      return agent.destroy();
    },
  };
}

function createAgent(options: HttpTransportOptions, keepAliveMs: number): Agent {
  return new Agent({
    connections: options.connections ?? 10,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    connect: { timeout: options.connectTimeoutMs ?? 5_000 },
    // The one time limit is the exchange's own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** One request on its way: collects the answer and ends exactly once, by answer, failure, time limit or abort. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #settled = Promise.withResolvers<TransportResponse>();
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #failure: TransportError | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #bytes = 0;

  constructor(request: TransportRequest) {
    this.#request = request;
  }

  async run(agent: Agent): Promise<TransportResponse> {
    const { signal, timeoutMs } = this.#request;
    if (signal?.aborted) throw new TransportError('aborted', 'aborted before sending', { sent: false });
    const onAbort = () => this.#giveUp('aborted', 'aborted by the caller');
    const timer = setTimeout(() => this.#giveUp('timeout', `no answer within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#dispatch(agent);
      return await this.#settled.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
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

  /** Ends the exchange. Aborting the controller destroys the socket, so that nothing more of it can arrive. */
  #giveUp(reason: TransportError['reason'], message: string): void {
    this.#failure ??= new TransportError(reason, message, { sent: this.#controller !== undefined });
    this.#controller?.abort(this.#failure);
    this.#settled.reject(this.#failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#failure) controller.abort(this.#failure);
    else this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
    );
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    const { maxBodyBytes } = this.#request;
    if (this.#bytes > maxBodyBytes) this.#giveUp('too-large', `answer of more than ${maxBodyBytes} bytes`);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks);
    this.#settled.resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const sent = this.#controller !== undefined;
    this.#failure ??= new TransportError(sent ? 'cut' : 'connect-failed', error.message, {
      sent,
      cause: error,
    });
    this.#settled.reject(this.#failure);
  }
}
