import { parseSchedule } from './schedule-expression.ts';

/** `setTimeout` fires at once when asked to wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Scheduler {
  /** Begins to wait for the next time. */
  start(): void;
  /** Runs now, apart from the schedule; resolves when the run has ended. */
  trigger(): Promise<void>;
  /** Waits no more, and lets runs under way end. */
  stop(): Promise<void>;
}

/**
 * Runs something on a schedule of EventBridge. Like there, a run that takes longer than the period does not keep the
 * next one from starting.
 *
 * @param options.expression see `parseSchedule`
 * @param options.invoke gets the time, in epoch milliseconds, for which the run was due; must not reject
 * @param options.clock epoch milliseconds
 * @throws Error when the expression can't be read
 */
export function createScheduler(options: {
  expression: string;
  invoke(scheduledAt: number): Promise<unknown>;
  clock: { now(): number };
}): Scheduler {
  const { clock } = options;
  const next = parseSchedule(options.expression);
  const running = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let state: 'new' | 'started' | 'stopped' = 'new';

  function run(scheduledAt: number): Promise<unknown> {
    const run = options.invoke(scheduledAt).finally(() => running.delete(run));
    running.add(run);
    return run;
  }

  function waitFor(due: number | undefined): void {
    if (due === undefined || state !== 'started') return;
    timer = setTimeout(
      () => {
        if (clock.now() < due) return waitFor(due);
        void run(due);
        waitFor(next(Math.max(due, clock.now())));
      },
      Math.min(Math.max(0, due - clock.now()), LONGEST_TIMER_MS),
    );
  }

  return {
    start() {
      if (state !== 'new') return;
      state = 'started';
      waitFor(next(clock.now()));
    },
    async trigger() {
      await run(clock.now());
    },
    async stop() {
      state = 'stopped';
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
