const FIRST_MS = 1_000;
const MOST_MS = 5 * 60_000;

/** Full jitter: uniform up to 1 s doubled per failure before, at most 5 min. `random` is in [0, 1). */
export function backoffMs(failures: number, random: () => number): number {
  return Math.ceil(random() * Math.min(MOST_MS, FIRST_MS * 2 ** failures));
}
