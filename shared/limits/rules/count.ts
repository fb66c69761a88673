import type { Limit } from '../model.ts';

/** With a permit counted that was taken at `now`, epoch ms. */
export function counted(limit: Limit, now: number): Limit {
  const minute = minuteOf(now);
  if (minute === limit.minute) return { ...limit, granted: limit.granted + 1 };
  return { ...limit, minute, granted: 1, grantedBefore: minute === limit.minute + 1 ? limit.granted : 0 };
}

/** Without a permit in the count that was taken at `takenAt`, epoch ms, and not used. */
export function uncounted(limit: Limit, takenAt: number): Limit {
  const { minute, granted, grantedBefore } = limit;
  const taken = minuteOf(takenAt);
  if (taken === minute) return { ...limit, granted: Math.max(0, granted - 1) };
  return taken === minute - 1 ? { ...limit, grantedBefore: Math.max(0, grantedBefore - 1) } : limit;
}

/** Permits that were taken in the whole minute before `now`, epoch ms, and not given back unused. */
export function grantedInMinuteBefore({ minute, granted, grantedBefore }: Limit, now: number): number {
  const current = minuteOf(now);
  if (minute === current) return grantedBefore;
  return minute === current - 1 ? granted : 0;
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}
