import * as z from 'zod';

/** The forms of ISO 8601 for a time with its offset from UTC. Seconds may be missing; a fraction may follow a comma. */
const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)$/i;
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** The time as RFC 3339 writes it, such as `2026-11-21T08:00:00.5+07:00`; any other value unchanged. */
function inRfc3339(given: unknown): unknown {
  const parts = typeof given === 'string' ? (EXTENDED.exec(given) ?? BASIC.exec(given)) : null;
  if (parts === null) return given;
  const [, year, month, day, hour, minute, second = '00', fraction, zone = ''] = parts;
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}${offset}`;
}

/**
 * A time in any form of ISO 8601 with its offset from UTC. Without the offset the time could be of any place. The result is written as in
 * RFC 3339.
 */
export function isoTime(error?: string | ((issue: { readonly input?: unknown }) => string)) {
  return z.preprocess(inRfc3339, z.iso.datetime({ offset: true, error }));
}
