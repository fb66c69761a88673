import type { Transport } from './transport.ts';

/** Leave to send one request, given back when it is over. */
export interface Permit {
  /** Tells the limiter how it went, so that a 429 or `Retry-After` can slow everyone. */
  release(outcome: PermitOutcome): Promise<void>;
}

/** How a request ended that had leave to be sent. */
export interface PermitOutcome {
  readonly status?: number;
  readonly code?: string;
  /** What the marketplace asked to wait. */
  readonly retryAfterMs?: number;
  /** The request carried no credentials, so that its success says nothing of them. */
  readonly unsigned?: boolean;
  /** Nothing was sent: the leave is for another to use. */
  readonly unused?: boolean;
}

/** The limit that all callers of the marketplace share. */
export interface Permits {
  acquire(request: { storeClientId?: string; endpoint: string; signal?: AbortSignal }): Promise<Permit>;
}

export interface MarketplaceClientOptions {
  /** Base URL without `/api/v1`. */
  readonly baseUrl: string;
  readonly partnerClientId: string;
  /** The partner's secret key; `fresh` asks for it anew, past any cache, after AUTH_010 or AUTH_011. */
  readonly secretKey: { read(options?: { fresh?: boolean }): Promise<string> };
  readonly transport: Transport;
  /** Epoch milliseconds. */
  readonly clock: { now(): number };
  /** Uniform in [0, 1), for jitter; default `Math.random`. */
  readonly random?: () => number;
  /** Waits between attempts; default timers. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Asked before every attempt; default no limit. */
  readonly permits?: Permits;
  /** Limit of one attempt from its signature on, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Attempts per call, corrections of clock and secret not counted; default 3 for GET and 1 for everything else. */
  readonly maxAttempts?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Limit of one attempt, in milliseconds, from its signature on: what `onAttempt` takes of it is taken off, and where
   * nothing is left the request is not sent (`TIMEOUT`, outcome `not-sent`).
   */
  readonly timeoutMs?: number;
  /**
   * Leave for the first attempt that the caller has taken already. It is given back when that attempt is over, so that
   * a further one can take its own even where one request may be in flight.
   */
  readonly permit?: Permit;
  /**
   * Awaited before each attempt is signed and sent, so that the caller can make it durable first. `signedAt` becomes
   * the `x-timestamp`, before correction by the clock offset. What it throws ends the call, unsent and unwrapped.
   */
  readonly onAttempt?: (attempt: { number: number; signedAt: number }) => Promise<void>;
}
