const DAY_SECONDS = 24 * 60 * 60;

/** Value of a TTL attribute, epoch seconds, `days` after `now` (epoch ms). */
export function expiresAt(now: number, days: number): number {
  return Math.floor(now / 1000) + days * DAY_SECONDS;
}
