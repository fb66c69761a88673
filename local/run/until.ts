import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** Default: 30,000. With `progress` it counts from the last progress. */
  readonly withinMs?: number;
  /** Default: 50. */
  readonly everyMs?: number;
  /**
   * A text or number that changes while the work goes on, such as the number of read rows. The time limit begins anew with each change,
   * so that slow work on a busy machine continues, and work that stands still ends.
   */
  readonly progress?: () => Promise<string | number> | string | number;
}

/**
 * Calls `look` every `everyMs` milliseconds until it returns neither `undefined` nor `false`.
 *
 * @throws Error naming `what` after `withinMs`
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000, everyMs = 50, progress }: UntilOptions = {},
): Promise<T> {
  let reached = await progress?.();
  let end = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    const now = await progress?.();
    if (now !== reached) {
      reached = now;
      end = Date.now() + withinMs;
    }
    if (Date.now() > end) {
      const since = progress ? ` since ${JSON.stringify(reached)} was reached` : '';
      throw new Error(`did not come within ${withinMs / 1000} s${since}: ${what}`);
    }
    await delay(everyMs);
  }
}
