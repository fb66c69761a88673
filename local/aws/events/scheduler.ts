import { parseRate } from './schedule-expression.ts';

/** The longest delay of `setTimeout`, which fires at once for a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Scheduler {
  /** Begins to wait for the next time. */
  start(): void;
  /** Starts no further run; a current run continues. */
  stop(): void;
}

/**
 * Invokes a function on an EventBridge schedule. As in EventBridge, a run that takes longer than the period does not
 * delay the next one.
 *
 * @param options.expression see `parseRate`
 * @param options.invoke receives the scheduled time of the run in epoch milliseconds; must not reject
 * @param options.clock epoch milliseconds
 * @throws Error when the expression can't be read
 */
export function createScheduler(options: {
  expression: string;
  invoke(scheduledAt: number): Promise<unknown>;
  clock: { now(): number };
}): Scheduler {
  const { clock } = options;
  const periodMs = parseRate(options.expression);
  let timer: NodeJS.Timeout | undefined;
  let state: 'new' | 'started' | 'stopped' = 'new';

  function waitFor(due: number): void {
    if (state !== 'started') return;
    timer = setTimeout(
      () => {
        if (clock.now() < due) return waitFor(due);
        void options.invoke(due);
        waitFor(Math.max(due, clock.now()) + periodMs);
      },
      Math.min(Math.max(0, due - clock.now()), LONGEST_TIMER_MS),
    );
  }

  return {
    start() {
      if (state !== 'new') return;
      state = 'started';
      waitFor(clock.now() + periodMs);
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}
