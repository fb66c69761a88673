import type { EpochMs } from './times.ts';

/** A time may be later than its message by at most this. */
export const MAX_AHEAD_MS = 5 * 60_000;

/**
 * The fault of a version or a command whose time is too far ahead: all later versions or commands would look older.
 *
 * @param sentAt when the message was sent. Every delivery gets the same result.
 * @param field path of the time in the message.
 */
export function tooFarAhead(
  time: EpochMs,
  sentAt: EpochMs,
  field = 'time',
): { readonly code: 'VERSION_FUTURE'; readonly message: string; readonly field: string } | undefined {
  if (time <= sentAt + MAX_AHEAD_MS) return undefined;
  const message = `${field} ${new Date(time).toISOString()} is more than 5 minutes ahead`;
  return { code: 'VERSION_FUTURE', message, field };
}
