import type { Permits, Place } from '../limits/ports.ts';
import type { EpochMs } from '../time/times.ts';
import type { Outcome } from './errors.ts';
import type { Transport } from './transport.ts';

export interface Attempt {
  readonly method: string;
  /** Path below `/api/v1`, without the query. */
  readonly path: string;
  /** From 1. */
  readonly attempt: number;
}

export interface AttemptEnd {
  readonly outcome: 'accepted' | Outcome;
  /** Time since the attempt was sent. */
  readonly durationMs: number;
  readonly status?: number | undefined;
  /** Code of a failure. */
  readonly code?: string | undefined;
  /** Request ID of the marketplace. */
  readonly requestId?: string | undefined;
  readonly batchId?: string | undefined;
}

/** Called for each attempt that is sent, for logs and metrics. Must not throw. */
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
  /** Replaces the client's `maxAttempts`. */
  readonly maxAttempts?: number;
  /** Replaces the client's rate limiter. */
  readonly permits?: Permits;
  /** The place of the first attempt. The caller gives it back, not the client. */
  readonly place?: Place;
  /**
   * Awaited before each attempt is signed and sent, so that the caller can record it durably. `signedAt` plus the clock
   * offset becomes the `x-timestamp`. If it throws, nothing is sent and the call ends with that error, unwrapped. Called
   * again with a later time if the attempt loses its place meanwhile.
   */
  readonly onAttempt?: (attempt: { number: number; signedAt: EpochMs }) => Promise<void>;
}
