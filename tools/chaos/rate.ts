import type { SandboxRequest } from '../../local/run/sandbox-controls.ts';

/** The limits of the marketplace, with a burst of one second's worth (P6). */
export interface Allowed {
  readonly requestsPerSecond: number;
  readonly requestsInFlight: number;
}

/** The arrived requests compared with the limits. */
export interface RateFigures {
  readonly requests: number;
  readonly mostInOneSecond: number;
  readonly mostInFlight: number;
  /** The largest excess over rate × t + burst in any t ≥ 1 s; 0 or less when the limit was kept. */
  readonly excess: number;
  /** The largest excess of requests in flight; 0 or less when the limit was kept. */
  readonly excessInFlight: number;
}

export function measureRate(
  requests: readonly Pick<SandboxRequest, 'time' | 'inFlight'>[],
  { requestsPerSecond: rate, requestsInFlight }: Allowed,
): RateFigures {
  const mostInFlight = Math.max(0, ...requests.map(({ inFlight }) => inFlight));
  const times = requests.map(({ time }) => Date.parse(time)).sort((a, b) => a - b);
  let mostInOneSecond = 0;
  let excess = Number.NEGATIVE_INFINITY;
  // For each first request, the fullest window of any length ends with a request.
  for (const [first, start] of times.entries()) {
    for (let last = first; last < times.length; last += 1) {
      const count = last - first + 1;
      const spanMs = (times[last] ?? start) - start;
      if (spanMs < 1000) mostInOneSecond = Math.max(mostInOneSecond, count);
      excess = Math.max(excess, count - (rate * Math.max(spanMs, 1000)) / 1000 - rate);
    }
  }
  return {
    requests: times.length,
    mostInOneSecond,
    mostInFlight,
    excess,
    excessInFlight: mostInFlight - requestsInFlight,
  };
}
