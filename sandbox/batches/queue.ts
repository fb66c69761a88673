import type { Clock } from '../clock.ts';
import type { Batch } from './batch.ts';

interface Waiting {
  batch: Batch;
  timer: NodeJS.Timeout;
}

/** Applies batches some time after their acceptance, strictly in the order of acceptance. */
export class BatchQueue {
  readonly #delayMs: number;
  readonly #clock: Clock;
  readonly #onApplied: (batch: Batch) => void;
  #waiting: Waiting[] = [];
  #idlers: (() => void)[] = [];

  /** `delayMs`: time from acceptance to application. `onApplied` is called with each applied batch. */
  constructor(delayMs: number, clock: Clock, onApplied: (batch: Batch) => void) {
    this.#delayMs = delayMs;
    this.#clock = clock;
    this.#onApplied = onApplied;
  }

  /** Resolves when no batch waits. */
  async idle(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  submit(batch: Batch): void {
    const timer = setTimeout(() => this.applyThrough(batch), this.#delayMs);
    this.#waiting.push({ batch, timer });
  }

  /** Applies now all batches up to and including this one. */
  applyThrough(last: Batch): void {
    const end = this.#waiting.findIndex(({ batch }) => batch === last);
    for (const { batch, timer } of this.#waiting.splice(0, end + 1)) {
      clearTimeout(timer);
      this.#apply(batch);
    }
    this.#wakeIdlers();
  }

  clear(): void {
    for (const { timer } of this.#waiting) clearTimeout(timer);
    this.#waiting = [];
    this.#wakeIdlers();
  }

  #wakeIdlers(): void {
    if (this.#waiting.length > 0) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }

  #apply(batch: Batch): void {
    const time = this.#clock.now();
    const result: Batch['result'] = { acceptedRows: [], errors: [...batch.errors] };
    for (const row of batch.pending) {
      const outcome = row.apply(time);
      if ('accepted' in outcome) result.acceptedRows.push(outcome.accepted);
      else result.errors.push(outcome.error);
    }
    result.errors.sort((left, right) => left.rowIndex - right.rowIndex);
    batch.pending = [];
    batch.result = result;
    this.#onApplied(batch);
  }
}
