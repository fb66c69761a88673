import { EventHeap } from './event-heap.ts';
import type { Random } from './random.ts';

/** A hundred times the steps of the longest scenario: one with more of them goes round in a circle. */
const MOST_STEPS = 5_000_000;

/**
 * Virtual time. One event runs at a time, and the next one only when all promises of the first have settled, so that a run
 * depends on the seed only. No real timer is used.
 */
export class Scheduler {
  readonly #heap = new EventHeap();
  readonly #random: Random;
  #now: number;
  #steps = 0;

  /** `start` is epoch ms. */
  constructor(random: Random, start: number) {
    this.#random = random;
    this.#now = start;
  }

  /** Epoch ms of the true time; the processes of the simulation see it with the skew of their clocks. */
  get now(): number {
    return this.#now;
  }

  /** How many events have run. */
  get steps(): number {
    return this.#steps;
  }

  /** Runs `action` in `ms` milliseconds; the seed decides the order of actions at the same moment. */
  after(ms: number, action: () => void): void {
    this.#heap.push({ time: this.#now + Math.max(0, ms), rank: this.#random.next(), run: action });
  }

  /** Runs events until `isOver`, or until none is left; rejects with the error of an event, and after `MOST_STEPS`. */
  run(isOver: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const runNext = (): void => {
      const event = isOver() ? undefined : this.#heap.pop();
      if (event === undefined) {
        resolve();
        return;
      }
      this.#now = event.time;
      this.#steps += 1;
      if (this.#steps > MOST_STEPS) {
        reject(new Error(`the scenario has not ended after ${MOST_STEPS} steps`));
        return;
      }
      try {
        event.run();
      } catch (error) {
        reject(error);
        return;
      }
      // A tick requested by a microtask runs when no microtask is left, so every await has advanced as far as it can.
      queueMicrotask(() => process.nextTick(runNext));
    };
    runNext();
    return promise;
  }
}
