import { EventHeap } from './event-heap.ts';
import type { Random } from './random.ts';

/**
 * Virtual time. One event runs at a time, and the next only when every promise that hung on it has had its turn, so
 * that a run follows from the seed alone. No real timer is ever used.
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

  /** Epoch ms of the true time, which no process of the simulation sees without its clock's skew. */
  get now(): number {
    return this.#now;
  }

  /** How many events have run. */
  get steps(): number {
    return this.#steps;
  }

  /** Runs `action` in `ms` milliseconds; what falls on the same moment runs in an order that the seed decides. */
  after(ms: number, action: () => void): void {
    this.#heap.push({ time: this.#now + Math.max(0, ms), rank: this.#random.next(), run: action });
  }

  /** Runs events until `isOver`, or until none is left; rejects with what an event throws. */
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
      try {
        event.run();
      } catch (error) {
        reject(error);
        return;
      }
      // A tick that a microtask asks for runs when no microtask is left: every await has gone as far as it can.
      queueMicrotask(() => process.nextTick(runNext));
    };
    runNext();
    return promise;
  }
}
