import * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';

/** Most unknown names that are quoted, and most characters of each. */
const MOST_QUOTED = 10;
const MAX_QUOTED = 40;

/** Error map of zod for input of partners and operators: it says what must be given, in their words. */
export const inputErrors: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue);
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'must be given' : types[issue.expected];
  if (issue.code === 'invalid_format') return formats[issue.format];
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map((value) => JSON.stringify(value));
    return `must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}`;
  }
  if (issue.code === 'too_small') return limitText(issue.origin, issue.minimum, issue.inclusive, 'more');
  return issue.code === 'too_big'
    ? limitText(issue.origin, issue.maximum, issue.inclusive, 'less')
    : undefined;
};

const types: Readonly<Record<string, string>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  null: 'must be null',
};

const formats: Readonly<Record<string, string>> = {
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  url: 'must be a URL',
  datetime: 'must be a time, such as 2026-11-27T08:30:00Z',
};

function limitText(
  origin: string,
  limit: number | bigint,
  isInclusive: boolean | undefined,
  word: 'more' | 'less',
): string | undefined {
  if (origin === 'number' || origin === 'int')
    return isInclusive === false ? `must be ${word} than ${limit}` : `must be ${limit} or ${word}`;
  const unit = { string: 'characters', array: 'entries' }[origin];
  if (unit === undefined) return undefined;
  return word === 'more' && limit === 1 ? 'must not be empty' : `must have ${limit} ${unit} or ${word}`;
}

/** Names all that are allowed. */
function unknownKeys(issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string | undefined {
  if (!(issue.inst instanceof z.ZodObject)) return undefined;
  const quoted = issue.keys.slice(0, MOST_QUOTED).map((key) => JSON.stringify(cutOff(key, MAX_QUOTED)));
  const unknown =
    issue.keys.length > MOST_QUOTED ? [...quoted, `${issue.keys.length - MOST_QUOTED} more`] : quoted;
  const known = Object.keys(issue.inst.shape);
  return `unknown ${unknown.join(', ')}; allowed: ${known.length === 0 ? 'none' : known.join(', ')}`;
}
