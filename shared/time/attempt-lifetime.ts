/** Milliseconds by which the clocks of two functions may differ. Clocks of Lambda differ by far less. */
const CLOCK_MARGIN_MS = 1_000;

/**
 * Milliseconds after its signature within which a request lands, or never, by any function's clock ("What it rests on"
 * in docs/architecture.md).
 */
export function attemptLifetimeOf({
  attemptLifetimeSeconds,
}: {
  readonly attemptLifetimeSeconds: number;
}): number {
  return attemptLifetimeSeconds * 1000 + CLOCK_MARGIN_MS;
}
