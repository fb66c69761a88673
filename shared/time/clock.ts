import type { EpochMs } from './times.ts';

/** A port, so that use cases can run in simulated time. */
export interface Clock {
  now(): EpochMs;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
