/** Milliseconds by which the clocks of two functions may differ; those of Lambda differ by far less. */
const CLOCK_MARGIN_MS = 1_000;

/**
 * Milliseconds after a request's signature from when, by any function's clock, it does not land any more
 * ("What it rests on" in docs/architecture.md).
 *
 * @param attemptLifetimeSeconds within which a request lands after its signature, or never.
 */
export function attemptLifetimeOf({
  attemptLifetimeSeconds,
}: {
  readonly attemptLifetimeSeconds: number;
}): number {
  return attemptLifetimeSeconds * 1000 + CLOCK_MARGIN_MS;
}
