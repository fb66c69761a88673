import { z } from 'zod';

/** The right to work on one order, product or document alone. It expires, so that a crash keeps nothing locked. */
export const lockSchema = z.object({
  /** Unique to each holder. */
  holder: z.string(),
  /** Epoch ms. */
  until: z.number(),
});
export type Lock = z.infer<typeof lockSchema>;

/** Whether another holder's lock is alive at `now`, epoch ms. */
export function isLocked(lock: Lock | undefined, holder: string, now: number): boolean {
  return lock !== undefined && lock.holder !== holder && lock.until > now;
}

/** The lock as `holder` takes or lengthens it; `undefined` while it is another one's. Never shortens it. */
export function locked(
  lock: Lock | undefined,
  holder: string,
  { now, until }: { readonly now: number; readonly until: number },
): Lock | undefined {
  if (isLocked(lock, holder, now)) return undefined;
  return { holder, until: lock?.holder === holder ? Math.max(lock.until, until) : until };
}

/** The lock that is left when `holder` releases it. */
export function released(lock: Lock | undefined, holder: string): Lock | undefined {
  return lock?.holder === holder ? undefined : lock;
}
