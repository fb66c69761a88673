import { parseCron } from './cron.ts';

/** The next time, in epoch milliseconds, that is later than the given one; undefined when there is none. */
export type Schedule = (after: number) => number | undefined;

const UNITS_MS = { minute: 60_000, hour: 60 * 60_000, day: 24 * 60 * 60_000 };

/**
 * Reads a schedule expression of EventBridge: `rate(5 minutes)`, `cron(0 3 * * ? *)` in UTC, `at(2026-11-21T12:00:00)`.
 *
 * @throws Error for any other expression; as strict as EventBridge about `1 minute` and `2 minutes`
 */
export function parseSchedule(expression: string): Schedule {
  const [, kind, argument = ''] = /^(rate|cron|at)\((.+)\)$/.exec(expression.trim()) ?? [];
  if (kind === 'rate') return parseRate(argument);
  if (kind === 'cron') return parseCron(argument);
  if (kind === 'at') return parseAt(argument);
  throw new Error(`Not a schedule expression: ${expression}`);
}

function parseRate(text: string): Schedule {
  const [, count = '', unit, plural] = /^(\d+) (minute|hour|day)(s?)$/.exec(text) ?? [];
  const value = Number(count);
  if (unit === undefined || value < 1 || (value === 1) !== (plural === '')) {
    throw new Error(`rate(${text}) can not be read.`);
  }
  const period = value * UNITS_MS[unit as keyof typeof UNITS_MS];
  return (after) => after + period;
}

function parseAt(text: string): Schedule {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(time)) throw new Error(`at(${text}) can not be read.`);
  return (after) => (time > after ? time : undefined);
}
