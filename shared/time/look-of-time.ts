/** 2015-01-01. No version of a partner is older. */
export const EARLIEST_TIME = Date.UTC(2015, 0, 1);

const SECONDS = { from: 1_000_000_000, below: 10_000_000_000 };
/** Days as a spreadsheet counts them: from 1954 to 2119. */
const DAYS = { from: 20_000, below: 80_000 };
const DATE = /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;
const NUMBER = /^\d+(\.\d+)?$/;
const DATE_AND_TIME = /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d$/;
/** From 2001 to 2128. */
const MICROSECONDS = { from: 1e15, below: 5e15 };
const NANOSECONDS = { from: 1e18, below: 5e18 };

/** Whether a time, ISO 8601 or epoch ms, is earlier than any time of a partner. */
export function isEarly(given: unknown): boolean {
  const time = typeof given === 'string' ? Date.parse(given) : given;
  return typeof time === 'number' && time < EARLIEST_TIME;
}

/** For a number that is too small or too large for epoch ms: the unit that it seems to have. `undefined` for other values. */
export function lookOfTime(given: unknown): string | undefined {
  if (typeof given !== 'number' && typeof given !== 'string') return undefined;
  const text = String(given);
  const value = Number(text);
  if (!NUMBER.test(text)) return undefined;
  if (value >= EARLIEST_TIME) return lookOfLater(text, value);
  if (DATE.test(text)) return `${text} looks like a date as yyyymmdd`;
  if (value >= DAYS.from && value < DAYS.below) return `${text} looks like days of a spreadsheet`;
  if (value >= SECONDS.from && value < SECONDS.below) return `${text} looks like seconds`;
  return `${text} is too small for milliseconds`;
}

function lookOfLater(text: string, value: number): string | undefined {
  if (DATE_AND_TIME.test(text)) return `${text} looks like a time as yyyymmddhhmmss`;
  if (value >= MICROSECONDS.from && value < MICROSECONDS.below) return `${text} looks like microseconds`;
  if (value >= NANOSECONDS.from && value < NANOSECONDS.below) return `${text} looks like nanoseconds`;
  return undefined;
}
