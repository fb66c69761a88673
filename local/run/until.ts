import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `look` every `everyMs` milliseconds (default 50) until it returns neither `undefined` nor `false`.
 *
 * @throws Error naming `what` after `withinMs` (default 30,000)
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > end) throw new Error(`did not come within ${withinMs / 1000} s: ${what}`);
    await delay(everyMs);
  }
}
