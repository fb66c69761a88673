import type { Outcome } from './errors.ts';
import type { Transport } from './transport.ts';

/** The right to send one request now. A permit that is not given back expires. */
export interface Permit {
  /** Gives the permit back with the request's outcome, so that a 429 or `Retry-After` slows all callers. Idempotent. */
  release(outcome: PermitOutcome): Promise<void>;
}

export interface PermitOutcome {
  readonly status?: number;
  readonly code?: string;
  /** The marketplace's `Retry-After` in milliseconds. */
  readonly retryAfterMs?: number;
  /** The request carried no credentials, so its success does not show that they are valid. */
  readonly unsigned?: boolean;
  /** What one operation depends on failed, as a carrier for labels: it says nothing of the marketplace. */
  readonly elsewhere?: boolean;
  /** Nothing was sent, so the permit is free again. */
  readonly unused?: boolean;
}

export interface Place {
  /** Epoch ms of the request's signature, at which it is sent. It is sent earlier if no other request waits. */
  readonly at: number;
  /** Epoch ms at which the caller begins to prepare the request; it may be past. */
  readonly prepareAt: number;
  /**
   * Waits for its time and takes a permit, right before the request is signed and sent. `undefined` when the place is
   * lost: its time has passed, all requests pause, or too many are in flight.
   */
  begin(signal?: AbortSignal): Promise<Permit | undefined>;
  /** Gives back the place of a request that will not be sent. */
  giveBack(): Promise<void>;
}

/** No place is free soon enough. `retryAt`: epoch ms from which a place may be free. */
export interface NoPlace {
  readonly reason: 'busy' | 'stopped';
  readonly retryAt: number;
}

export interface PlaceRequest {
  /** Latest time of the place, epoch ms. */
  readonly until: number;
  /** Milliseconds that the caller needs to prepare the request. Default 0. */
  readonly preparationMs?: number;
}

/** The rate limiter, which all callers of the marketplace share. */
export interface Permits {
  /** Reserves the next free place, without waiting for its time. */
  reserve(request: PlaceRequest): Promise<Place | NoPlace>;
}

export interface Attempt {
  readonly method: string;
  /** Below `/api/v1`, without its query. */
  readonly path: string;
  /** From 1. */
  readonly attempt: number;
}

export interface AttemptEnd {
  readonly outcome: 'accepted' | Outcome;
  /** Milliseconds since it was sent. */
  readonly durationMs: number;
  readonly status?: number | undefined;
  /** Of a failure. */
  readonly code?: string | undefined;
  /** The marketplace's. */
  readonly requestId?: string | undefined;
  readonly batchId?: string | undefined;
}

/** Gets to know each attempt that is sent, for logs and metrics. Must not throw. */
export interface AttemptObserver {
  onSent(attempt: Attempt): void;
  onEnded(attempt: Attempt, end: AttemptEnd): void;
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
  /** Rate limiter of every attempt; default no limit. */
  readonly permits?: Permits;
  /** Default: none. */
  readonly observer?: AttemptObserver;
  /** Limit of one attempt from its signature on, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Attempts per call, corrections of clock and secret not counted; default 3 for GET and 1 for everything else. */
  readonly maxAttempts?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Limit of one attempt in milliseconds, from `signedAt` on. If `onAttempt` uses it up, the request is not sent
   * (`TIMEOUT`, outcome `not-sent`).
   */
  readonly timeoutMs?: number;
  /** Attempts instead of the client's. */
  readonly maxAttempts?: number;
  /** Rate limiter instead of the client's own. */
  readonly permits?: Permits;
  /**
   * Awaited before each attempt is signed and sent, so that the caller can record it durably. `signedAt` plus the clock
   * offset becomes the `x-timestamp`. If it throws, nothing is sent and the call ends with that error, unwrapped. Called
   * again with a later time if the attempt loses its place meanwhile.
   */
  readonly onAttempt?: (attempt: { number: number; signedAt: number }) => Promise<void>;
}
