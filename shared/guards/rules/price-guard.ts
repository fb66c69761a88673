import type { PriceGuard } from '../model.ts';

/** Whether a price changes by more than `maxChangePercent` of what it was. */
export function isLargeChange(before: number, after: number, maxChangePercent: number): boolean {
  return Math.abs(after - before) * 100 > maxChangePercent * before;
}

/** Whether the running window is over, so that the store's listings are to be counted anew. `now` is epoch ms. */
export function isWindowOver({ limits, window }: PriceGuard, now: number): boolean {
  return (
    window === undefined || limits === undefined || now - window.startedAt >= limits.windowMinutes * 60_000
  );
}

/**
 * Counts large changes into the window, or into a new one over `knownListings`; holds the store's prices when they are
 * too many. A change that is counted twice only holds earlier.
 */
export function countLargeChanges(
  guard: PriceGuard,
  { large, knownListings, now }: { large: number; knownListings: number | undefined; now: number },
): PriceGuard {
  const { limits, hold } = guard;
  if (limits === undefined || hold !== undefined) return guard;
  const running =
    guard.window === undefined || isWindowOver(guard, now)
      ? { startedAt: now, changedListings: 0, knownListings: knownListings ?? 0 }
      : guard.window;
  const window = { ...running, changedListings: running.changedListings + large };
  if (window.changedListings * 100 <= limits.maxListingsPercent * window.knownListings) {
    return { ...guard, window };
  }
  const { changedListings } = window;
  const reason =
    `${changedListings} of ${window.knownListings} listings changed their price by more than ` +
    `${limits.maxChangePercent} % within ${limits.windowMinutes} minutes`;
  const since = new Date(now).toISOString();
  return {
    ...guard,
    window,
    hold: { since, reason, changedListings, knownListings: window.knownListings, announced: false },
  };
}

/** Lets the prices go, and counts anew. */
export function lifted({ hold: _, window: __, ...guard }: PriceGuard): PriceGuard {
  return guard;
}
