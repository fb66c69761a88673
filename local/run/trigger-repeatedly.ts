import { setTimeout as pause } from 'node:timers/promises';
import type { LocalRun } from '../aws/index.ts';

/**
 * Runs a scheduled function again and again, for a run with shortened times. Failures are ignored.
 *
 * @param everyMs milliseconds between the end of an invocation and the next one
 */
export function triggerRepeatedly(
  local: Pick<LocalRun, 'triggerSchedule'>,
  functionName: string,
  everyMs: number,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = (async () => {
    while (!signal.aborted) {
      await local.triggerSchedule(functionName).catch(() => undefined);
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await work;
    },
  };
}
