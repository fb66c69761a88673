import { setTimeout as pause } from 'node:timers/promises';
import type { LocalRun } from '../local/index.ts';

/**
 * Fires a function's schedules again and again, whatever becomes of them, for a run whose times are sped up; to be
 * awaited after `stop`.
 *
 * @param everyMs milliseconds between the end of one and the next
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
