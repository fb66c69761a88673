export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
