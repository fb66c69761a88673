import { InvalidArgumentError } from 'commander';

/** Reads an option that must be a time zone: `UTC`, `local`, or a name as `Europe/Berlin`. @returns the name */
export function zoneOption(text: string): string {
  const zone = text === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : text;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new InvalidArgumentError('It must be UTC, local, or a time zone such as Europe/Berlin.');
  }
}

/** A time in a time zone: `2026-11-22` and `19:59:51.000`. */
export function zoned(iso: string, timeZone: string): { readonly day: string; readonly clock: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).formatToParts(new Date(iso));
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return {
    day: `${of.year}-${of.month}-${of.day}`,
    clock: `${of.hour}:${of.minute}:${of.second}.${of.fractionalSecond}`,
  };
}
