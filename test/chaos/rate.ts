import type { SandboxRequest } from '../run/sandbox-controls.ts';

/** How many requests arrived, against a limit of `rate` per second with a burst of one second's worth (design P6). */
export interface RateFigures {
  readonly requests: number;
  readonly mostInOneSecond: number;
  /** The largest excess over rate × t + burst in any t ≥ 1 s; 0 or less when the limit was kept. */
  readonly excess: number;
}

export function measureRate(requests: readonly SandboxRequest[], rate: number): RateFigures {
  const times = requests.map(({ time }) => Date.parse(time)).sort((a, b) => a - b);
  let mostInOneSecond = 0;
  let excess = Number.NEGATIVE_INFINITY;
  // Seen from its first request, the fullest window of any length ends with a request.
  for (const [first, start] of times.entries()) {
    for (let last = first; last < times.length; last += 1) {
      const count = last - first + 1;
      const spanMs = (times[last] ?? start) - start;
      if (spanMs < 1000) mostInOneSecond = Math.max(mostInOneSecond, count);
      excess = Math.max(excess, count - (rate * Math.max(spanMs, 1000)) / 1000 - rate);
    }
  }
  return { requests: times.length, mostInOneSecond, excess };
}
