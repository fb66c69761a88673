/** ISO 8601 of a time in epoch ms. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
