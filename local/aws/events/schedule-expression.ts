const UNITS_MS = { minute: 60_000, hour: 60 * 60_000, day: 24 * 60 * 60_000 };

/**
 * Reads a schedule expression of EventBridge with a rate, `rate(5 minutes)`: the stack has no other kind.
 *
 * @returns milliseconds from one run to the next
 * @throws Error for any other expression; as strict as EventBridge about `1 minute` and `2 minutes`
 */
export function parseRate(expression: string): number {
  const [, count = '', unit, plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression.trim()) ?? [];
  const value = Number(count);
  if (unit === undefined || value < 1 || (value === 1) !== (plural === '')) {
    throw new Error(`The local run does not know the schedule expression ${expression}`);
  }
  return value * UNITS_MS[unit as keyof typeof UNITS_MS];
}
