import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two looks. */
const INTERVAL_MS = 50;

/**
 * Looks again and again until `look` gives something but `undefined` and `false`.
 *
 * @throws Error naming `what` when `withinMs` (default 30,000) are over
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000 }: { withinMs?: number } = {},
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > end) throw new Error(`did not come within ${withinMs} ms: ${what}`);
    await delay(INTERVAL_MS);
  }
}
