/** The throttling settings of a stage or a route. */
export interface Throttling {
  requestsPerSecond: number;
  burst: number;
}

/**
 * A token bucket, as API Gateway throttles a stage.
 *
 * @param clock epoch milliseconds
 * @returns whether one more request is allowed now
 */
export function createThrottle(
  { requestsPerSecond, burst }: Throttling,
  clock: { now(): number },
): () => boolean {
  let tokens = burst;
  let filledAt = clock.now();
  return () => {
    const now = clock.now();
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * requestsPerSecond);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
