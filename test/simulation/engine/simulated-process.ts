import type { Clock } from '../../../shared/time/clock.ts';
import type { Step } from '../../doubles/step.ts';
import type { FaultKind } from './faults.ts';
import type { Simulation } from './simulation.ts';

/** Longest duration of one operation in milliseconds, given the SDK's retries and timeouts. */
const LONGEST_HANG_MS = 40_000;
/** Longest freeze of a process in milliseconds: more than the lifetime of its attempts. */
const FREEZE_MS = [20_000, 90_000] as const;

/** The error of the SDK when its retries are used up. */
class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
}

/**
 * One process. It waits only for the scheduler. After it is killed it receives nothing more, but its requests may still
 * take effect.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #simulation: Simulation;
  readonly #onKilled: () => void;
  #alive = true;
  #isHeldUp = false;

  constructor(simulation: Simulation, name: string, onKilled: () => void) {
    this.#simulation = simulation;
    this.name = name;
    this.#onKilled = onKilled;
    const skewMs = simulation.random.integer(-simulation.maxSkewMs, simulation.maxSkewMs);
    this.clock = {
      now: () => Math.floor(simulation.now + skewMs),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether one of its operations ever hung, so that all its later actions may be late. */
  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  kill(reason: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#simulation.note(this.name, () => `dies: ${reason}`);
    this.#onKilled();
  }

  /** Ends the process after its work: everything that it left running is frozen forever. */
  end(): void {
    this.#alive = false;
  }

  /** Runs `action` in this process in `ms` milliseconds, if it is still alive then. */
  later(ms: number, action: () => void): void {
    this.#simulation.scheduler.after(ms, () => {
      if (this.#alive) action();
    });
  }

  /** The step of the doubles: every operation takes time, and faults may occur during it. */
  readonly step: Step = (operation, effect) =>
    new Promise((resolve, reject) => {
      if (this.#diesOf('crash before an operation')) return;
      const { scheduler, faults, random } = this.#simulation;
      const doIt = () => {
        const result = effect();
        this.#simulation.note(this.name, () => `${operation} → ${describe(result)}`);
        return result;
      };
      const fail = (kind: FaultKind) => {
        this.#simulation.note(this.name, () => `${operation}: ${kind}`);
        this.later(this.#latency(), () => reject(new ServiceFault(`${operation}: ${kind}`)));
      };
      scheduler.after(this.#latency(), () => {
        if (faults.strikes('operation fails before its effect'))
          return fail('operation fails before its effect');
        if (faults.strikes('operation fails, its effect comes later')) {
          scheduler.after(random.integer(1, 5_000), doIt);
          return fail('operation fails, its effect comes later');
        }
        let result = doIt();
        if (faults.strikes('operation is repeated by the SDK')) result = doIt();
        if (this.#diesOf('crash after an operation')) return;
        if (faults.strikes('operation fails after its effect'))
          return fail('operation fails after its effect');
        this.later(this.#latency(), () => resolve(result));
      });
    });

  /** Freezes the process for a long time. */
  async freeze(): Promise<void> {
    this.#isHeldUp = true;
    await this.#sleep(this.#simulation.random.integer(...FREEZE_MS));
  }

  #diesOf(kind: FaultKind): boolean {
    if (!this.#alive || !this.#simulation.faults.strikes(kind)) return !this.#alive;
    this.kill(kind);
    return true;
  }

  #latency(): number {
    const { faults, random } = this.#simulation;
    if (faults.strikes('operation hangs')) {
      this.#isHeldUp = true;
      return random.integer(1_000, LONGEST_HANG_MS);
    }
    return faults.strikes('operation is slow') ? random.integer(10, 500) : random.integer(1, 5);
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      this.later(ms, resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}

function describe(result: unknown): string {
  return result === undefined ? 'done' : JSON.stringify(result);
}
