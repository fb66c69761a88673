import { Faults } from './faults.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';

/** A Monday; the same in every run. */
const START = Date.UTC(2026, 0, 5);

/** Largest skew of a process's clock in milliseconds, in both directions, unless a scenario sets another. */
const USUAL_SKEW_MS = 100;

/** The shared parts of one simulated world. */
export class Simulation {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  /** The trace, line by line, if the run is traced. */
  readonly trace: string[] | undefined;
  /** Largest skew of a process's clock in milliseconds, in both directions. */
  maxSkewMs = USUAL_SKEW_MS;
  #violation: string | undefined;
  #lastId = 0;

  constructor(seed: number, options: { traced?: boolean } = {}) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random, START);
    this.faults = new Faults(this.random);
    this.trace = options.traced === true ? [] : undefined;
  }

  /** True time, epoch ms. */
  get now(): number {
    return this.scheduler.now;
  }

  /** The first property that did not hold. */
  get violation(): string | undefined {
    return this.#violation;
  }

  newId(prefix: string): string {
    this.#lastId += 1;
    return `${prefix}-${this.#lastId}`;
  }

  /** `message` is called only when the run is traced. */
  note(actor: string, message: () => string): void {
    this.trace?.push(`${formatTime(this.now - START)} ${actor.padEnd(18)} ${message()}`);
  }

  /** Records a violated property: the run ends after the current event. */
  violate(message: string): void {
    this.note('VIOLATION', () => message);
    this.#violation ??= message;
  }
}

function formatTime(ms: number): string {
  return `+${(ms / 1000).toFixed(3)}s`.padStart(12);
}
