/** `1 batch`, `2 batches`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** A duration in its largest unit: `3 min`, `0 s`. */
export function duration(milliseconds: number): string {
  const [size, name] = UNITS.find(([unit]) => milliseconds >= unit) ?? [1000, 's'];
  return `${Math.max(0, Math.floor(milliseconds / size))} ${name}`;
}

/** A duration in its two largest units, a short one to the millisecond or a tenth of a second: `+40 ms`, `+1.2 s`, `+3 min 20 s`. */
export function elapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `+${milliseconds} ms`;
  if (milliseconds < 60_000) return `+${(milliseconds / 1000).toFixed(1)} s`;
  const index = UNITS.findIndex(([unit]) => milliseconds >= unit);
  const [[large, name], [small, smallName] = [1, '']] = [UNITS[index] ?? UNITS[2], UNITS[index + 1]];
  const rest = Math.floor((milliseconds % large) / small);
  return `+${Math.floor(milliseconds / large)} ${name}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** A time without its fraction: `2026-11-22 15:52:15Z`. */
export function time(iso: string | undefined): string {
  return iso === undefined ? '' : iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}

/** How often each value is there, in the order of their first. */
export function tally<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Said below a list that has more entries. */
export function moreBehind(cursor: string | undefined): string[] {
  return cursor === undefined ? [] : [`There may be more: --cursor ${cursor}`];
}

/** Said of an empty list: records expire, and none may be left behind a cursor. */
export function noneOf(what: string, cursor: string | undefined): string {
  return cursor === undefined ? `No record of any ${what}.` : `No further ${what}.`;
}
