/** How far a time may be ahead of ours: clocks differ. Milliseconds. */
export const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Why a version or a command of a time too far ahead is rejected: it would make everything after it look old.
 *
 * @param time epoch ms.
 * @param now epoch ms; of a message when it was sent, where every delivery is to be judged alike.
 * @returns `undefined` for a time that may be.
 */
export function futureFault(time: number, now: number) {
  if (time <= now + MAX_AHEAD_MS) return undefined;
  const message = `${new Date(time).toISOString()} is more than 5 minutes ahead`;
  return { code: 'VERSION_FUTURE', message } as const;
}
