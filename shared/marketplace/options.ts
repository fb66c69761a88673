import type { Transport } from './transport.ts';

/** The right to send one request now, given back when it is over. One that is not given back expires by itself. */
export interface Permit {
  /** Says how the request ended, so that a 429 or `Retry-After` can slow everyone. Giving back twice does no harm. */
  release(outcome: PermitOutcome): Promise<void>;
}

/** How a request ended that had a permit. */
export interface PermitOutcome {
  readonly status?: number;
  readonly code?: string;
  /** What the marketplace asked to wait. */
  readonly retryAfterMs?: number;
  /** The request carried no credentials, so that its success says nothing of them. */
  readonly unsigned?: boolean;
  /** Nothing was sent: the permit is for another to use. */
  readonly unused?: boolean;
}

/** A place in the row of requests, at a time of its own. */
export interface Place {
  /** Epoch ms at which the request is to leave, with this time as that of its signature. */
  readonly at: number;
  /** Epoch ms at which to begin with what has to be done before it leaves. */
  readonly prepareAt: number;
  /**
   * Waits for its time and takes a permit, the last thing before a request is signed and sent. `undefined` when the place
   * is lost: its time has passed, everyone pauses, or too many requests are in flight.
   */
  begin(signal?: AbortSignal): Promise<Permit | undefined>;
  /** For a request that will not leave: the place is for another, where that is still possible. */
  giveBack(): Promise<void>;
}

/** No place is free soon enough; `retryAt`: epoch ms from which asking again makes sense. */
export interface NoPlace {
  readonly reason: 'busy' | 'stopped';
  readonly retryAt: number;
}

/** What is asked of a place. */
export interface PlaceRequest {
  /** Epoch ms: a later place is of no use. */
  readonly until: number;
  /** Milliseconds that the caller needs between getting the place and sending. Default 0. */
  readonly preparationMs?: number;
}

/** The limit that all callers of the marketplace share. */
export interface Permits {
  /** The next free place, at once. */
  reserve(request: PlaceRequest): Promise<Place | NoPlace>;
}

export interface MarketplaceClientOptions {
  /** Base URL without `/api/v1`. */
  readonly baseUrl: string;
  readonly partnerClientId: string;
  /** The partner's secret key; `fresh` bypasses the cache, after AUTH_010 or AUTH_011. */
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
  /** Asked before every attempt in place of the client's own. */
  readonly permits?: Permits;
  /**
   * Awaited before each attempt is signed and sent, so that the caller can make it durable first. `signedAt` becomes
   * the `x-timestamp`, before correction by the clock offset. An error that it throws ends the call: nothing is sent, and the
   * error is not wrapped. Called again, with a later time, if the attempt lost its place meanwhile.
   */
  readonly onAttempt?: (attempt: { number: number; signedAt: number }) => Promise<void>;
}
