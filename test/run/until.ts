import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks every `everyMs` milliseconds (default 50) until `look` gives something but `undefined` and `false`.
 *
 * @throws Error naming `what` when `withinMs` (default 30,000) are over
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
    if (Date.now() > end) throw new Error(`did not come within ${withinMs} ms: ${what}`);
    await delay(everyMs);
  }
}
