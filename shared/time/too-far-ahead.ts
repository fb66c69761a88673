/** How far ahead of when it was sent a time may be. Milliseconds. */
export const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Refuses a time that would make everything after it look old: of a version, or of a command. Times are epoch ms;
 * `sentAt` is when the message was sent, so that every delivery is judged alike. `field`: where the time stands.
 */
export function tooFarAhead(
  time: number,
  sentAt: number,
  field = '',
): { readonly code: 'VERSION_FUTURE'; readonly message: string } | undefined {
  if (time <= sentAt + MAX_AHEAD_MS) return undefined;
  const message = `${field} ${new Date(time).toISOString()} is more than 5 minutes ahead`.trimStart();
  return { code: 'VERSION_FUTURE', message };
}
