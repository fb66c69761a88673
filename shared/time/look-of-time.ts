/** 2015-01-01: no version of a partner is older. */
export const EARLIEST_TIME = Date.UTC(2015, 0, 1);

const SECONDS = { from: 1_000_000_000, below: 10_000_000_000 };
/** Of a spreadsheet: from 1954 to 2119. */
const DAYS = { from: 20_000, below: 80_000 };
const DATE = /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;
const NUMBER = /^\d+(\.\d+)?$/;

/** Whether a time, ISO 8601 or epoch ms, is earlier than those of partners. */
export function isEarly(given: unknown): boolean {
  const time = typeof given === 'string' ? Date.parse(given) : given;
  return typeof time === 'number' && time < EARLIEST_TIME;
}

/** The unit that a number looks like which is too small for epoch ms; `undefined` for other values. */
export function lookOfTime(given: unknown): string | undefined {
  const text = String(given);
  const value = Number(text);
  if (!NUMBER.test(text) || value >= EARLIEST_TIME) return undefined;
  if (DATE.test(text)) return `${text} looks like a date as yyyymmdd`;
  if (value >= DAYS.from && value < DAYS.below) return `${text} looks like days of a spreadsheet`;
  if (value >= SECONDS.from && value < SECONDS.below) return `${text} looks like seconds`;
  return `${text} is too small for milliseconds`;
}
