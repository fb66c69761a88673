/** How far a time may be ahead of ours, in milliseconds: clocks differ. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Why a value or a command of a time too far ahead is rejected: it would win over everything until then.
 *
 * @param time epoch ms.
 * @param now epoch ms.
 * @returns `undefined` for a time that may be.
 */
export function futureFault(time: number, now: number): { code: string; message: string } | undefined {
  if (time <= now + MAX_AHEAD_MS) return undefined;
  const message = `${new Date(time).toISOString()} is more than 5 minutes ahead`;
  return { code: 'VERSION_FUTURE', message };
}
