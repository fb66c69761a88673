import { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Delivery } from './message-queue.ts';

/** One invocation of a function. */
export interface Invocation {
  readonly name: string;
  readonly timeoutMs: number;
  readonly run: (process: SimulatedProcess) => Promise<void>;
  /** It threw. */
  readonly onFailed?: () => void;
  /** It returned or threw. */
  readonly onEnd?: (process: SimulatedProcess) => void;
}

/** Runs invocations, each in a separate process that may be killed and has a timeout. */
export class Invoker {
  readonly #simulation: Simulation;
  #running = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  invoke({ name, timeoutMs, run, onFailed, onEnd }: Invocation): Delivery {
    const { random, scheduler, faults } = this.#simulation;
    const callbacks: (() => void)[] = [];
    let isDead = false;
    const process = new SimulatedProcess(this.#simulation, this.#simulation.newId(name), () => {
      isDead = true;
      this.#running -= 1;
      for (const callback of callbacks) callback();
    });
    this.#running += 1;
    if (faults.strikes('process killed at some moment')) {
      const afterMs = random.integer(0, random.pick([1_000, 30_000]));
      scheduler.after(afterMs, () => process.kill('killed at some moment'));
    }
    process.later(timeoutMs, () => process.kill('out of time'));
    const end = () => {
      process.end();
      this.#running -= 1;
      onEnd?.(process);
    };
    run(process).then(end, (error: unknown) => {
      this.#noteFailure(process, error);
      end();
      onFailed?.();
    });
    return {
      onDeath: (callback) => {
        if (isDead) callback();
        else callbacks.push(callback);
      },
    };
  }

  #noteFailure({ name }: SimulatedProcess, error: unknown): void {
    this.#simulation.note(name, () => `fails: ${error}`);
    if (!isProgrammingError(error)) return;
    this.#simulation.violate(`${name} failed: ${error.stack}`);
  }
}

export function isProgrammingError(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
