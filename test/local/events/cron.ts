const DAY_MS = 24 * 60 * 60 * 1000;
/** 29 February may be eight years ahead, around 2100. */
const DAYS_SEARCHED = 9 * 366;

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  name: string;
  first: number;
  last: number;
  /** Names that may stand for the numbers from `first` on. */
  names?: readonly string[];
}

const FIELDS = {
  minute: { name: 'minutes', first: 0, last: 59 },
  hour: { name: 'hours', first: 0, last: 23 },
  day: { name: 'day of month', first: 1, last: 31 },
  month: { name: 'month', first: 1, last: 12, names: MONTHS },
  weekday: { name: 'day of week', first: 1, last: 7, names: WEEKDAYS },
  year: { name: 'year', first: 1970, last: 2199 },
} satisfies Record<string, Field>;

/**
 * Reads the six fields of an AWS cron expression: minutes, hours, day of month, month, day of week (1 is Sunday), year,
 * in UTC. `L`, `W` and `#` are not supported and are refused.
 *
 * @returns the next time, in epoch milliseconds, that is later than the given one; undefined when there is none
 * @throws Error naming the field that can't be read
 */
export function parseCron(text: string): (after: number) => number | undefined {
  const parts = text.trim().split(/\s+/);
  const [minute, hour, day, month, weekday, year] = parts;
  if (parts.length !== 6 || !minute || !hour || !day || !month || !weekday || !year) {
    throw new Error(`cron(${text}) needs six fields.`);
  }
  if ((day === '?') === (weekday === '?')) {
    throw new Error(`cron(${text}): exactly one of day of month and day of week has to be "?".`);
  }
  const minutes = valuesOf(minute, FIELDS.minute);
  const hours = valuesOf(hour, FIELDS.hour);
  const days = day === '?' ? undefined : new Set(valuesOf(day, FIELDS.day));
  const weekdays = weekday === '?' ? undefined : new Set(valuesOf(weekday, FIELDS.weekday));
  const months = new Set(valuesOf(month, FIELDS.month));
  const years = new Set(valuesOf(year, FIELDS.year));

  function fits(date: Date): boolean {
    return (
      years.has(date.getUTCFullYear()) &&
      months.has(date.getUTCMonth() + 1) &&
      (days?.has(date.getUTCDate()) ?? true) &&
      (weekdays?.has(date.getUTCDay() + 1) ?? true)
    );
  }

  return (after) => {
    const midnight = Math.floor(after / DAY_MS) * DAY_MS;
    for (let count = 0; count < DAYS_SEARCHED; count += 1) {
      const start = midnight + count * DAY_MS;
      if (!fits(new Date(start))) continue;
      const times = hours.flatMap((hour) => minutes.map((minute) => start + (hour * 60 + minute) * 60_000));
      const next = times.find((time) => time > after);
      if (next !== undefined) return next;
    }
    return undefined;
  };
}

/** In ascending order. */
function valuesOf(text: string, field: Field): number[] {
  const values = new Set(text.split(',').flatMap((part) => rangeOf(part, field)));
  return [...values].sort((a, b) => a - b);
}

/** `*`, `n`, `n-m`, each also with `/step`; `n/step` goes on to the field's last value. */
function rangeOf(part: string, field: Field): number[] {
  const [, from = '', to, step] = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d+))?$/.exec(part) ?? [];
  const first = from === '*' ? field.first : numberOf(from, field);
  const last =
    to === undefined ? (from === '*' || step !== undefined ? field.last : first) : numberOf(to, field);
  const width = Number(step ?? 1);
  if (width < 1 || last < first) throw unreadable(part, field);
  return Array.from({ length: Math.floor((last - first) / width) + 1 }, (_, index) => first + index * width);
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named >= 0 ? field.first + named : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.first && value <= field.last)) throw unreadable(text, field);
  return value;
}

function unreadable(text: string, field: Field): Error {
  return new Error(`Cron field "${field.name}" can not be read: ${text}`);
}
