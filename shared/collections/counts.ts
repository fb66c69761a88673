import * as z from 'zod';

export const countSchema = z.number().int().nonnegative();
export const countsSchema = z.record(z.string(), countSchema);
/** Numbers by name, such as rejected rows by code. */
export type Counts = Readonly<Record<string, number>>;

/** Adds `counts` to `to`. */
export function addCounts(to: Record<string, number>, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) to[name] = (to[name] ?? 0) + count;
}

export function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
