import { setImmediate as settle } from 'node:timers/promises';
import type { Clock } from '../../../shared/time/clock.ts';

/** A clock whose time passes only while `run` waits for its work, from timer to timer. */
export interface VirtualClock extends Clock {
  /** Runs the work to its end and advances the time for it. @throws Error when it waits for no timer */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/** The most rounds of the event loop between two timers. */
const MAX_IDLE_ROUNDS = 1000;

/** Begins at `start`, epoch ms. */
export function virtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = start;
  const timers = new Set<Timer>();

  const wakeNext = () => {
    const next = [...timers].sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.wake();
    return true;
  };

  return {
    now: () => now,

    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = { at: now + ms, wake: resolve };
        timers.add(timer);
        const abort = () => {
          timers.delete(timer);
          reject(signal?.reason);
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      }),

    run: async (work) => {
      let ended = false;
      const end = () => {
        ended = true;
      };
      work.then(end, end);
      for (let idle = 0; idle < MAX_IDLE_ROUNDS; idle += 1) {
        await settle();
        if (ended) return work;
        if (wakeNext()) idle = 0;
      }
      throw new Error('the work waits for something else than the time');
    },
  };
}
