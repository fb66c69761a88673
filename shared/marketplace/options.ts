import type { Permits, Place } from '../limits/ports.ts';
import type { EpochMs } from '../time/times.ts';
import type { Outcome } from './errors.ts';
import type { Transport } from './transport.ts';

export interface Attempt {
  readonly method: string;
  /** Below `/api/v1`, without its query. */
  readonly path: string;
  /** From 1. */
  readonly attempt: number;
}

export interface AttemptEnd {
  readonly outcome: 'accepted' | Outcome;
  /** Time since it was sent. */
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
  /** The place of the first attempt. It stays the caller's, who gives it back. */
  readonly place?: Place;
  /**
   * Awaited before each attempt is signed and sent, so that the caller can record it durably. `signedAt` plus the clock
   * offset becomes the `x-timestamp`. If it throws, nothing is sent and the call ends with that error, unwrapped. Called
   * again with a later time if the attempt loses its place meanwhile.
   */
  readonly onAttempt?: (attempt: { number: number; signedAt: EpochMs }) => Promise<void>;
}
