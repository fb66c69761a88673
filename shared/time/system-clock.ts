import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    // Node's own rejection is an AbortError, whatever the reason is.
    await delay(ms, undefined, signal && { signal }).catch((error) => {
      throw signal?.aborted ? signal.reason : error;
    });
  },
};
