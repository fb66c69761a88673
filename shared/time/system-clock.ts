import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    // Node rejects with an AbortError, not with the signal's reason.
    await delay(ms, undefined, signal && { signal }).catch((error) => {
      throw signal?.aborted ? signal.reason : error;
    });
  },
};
