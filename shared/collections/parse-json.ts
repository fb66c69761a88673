import { repeatedMembers } from './repeated-members.ts';

/** Deepest accepted nesting of JSON: a few thousand levels overflow the stack of functions such as `JSON.stringify`. */
export const MAX_LEVELS = 100;

/** The fault of a row that is not an object. The parser of events replaces a row that nests too deep, or repeats a member, by a text. */
export const NO_OBJECT = `must be an object that nests at most ${MAX_LEVELS} levels deep, with each member once`;

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Parses a JSON text; `undefined` if it is not JSON, or nests arrays and objects more than 100 deep. A byte order mark at the start is
 * allowed (RFC 8259, section 8.1), as some servers and editors write one.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** As {@link parseJson}, but refuses a byte order mark and a member that is given twice. @throws {SyntaxError} with the reason. */
export function parseJsonOrThrow(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value)) throw new SyntaxError(`it nests more than ${MAX_LEVELS} levels deep`);
  const [repeated] = repeatedMembers(text, value);
  if (repeated !== undefined) throw new SyntaxError(`${repeated.join('.')} is given twice`);
  return value;
}

/** Whether a value of JSON nests arrays and objects more than `levels` deep, default 100. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Makes no list of members, as this runs for each row of each event and file.
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, levels - 1));
  for (const name in value) if (isTooDeep(value[name as keyof typeof value], levels - 1)) return true;
  return false;
}

/** The smallest positive number that is stored. No price is smaller. */
const SMALLEST_FRACTION = 1e-9;

/**
 * Whether DynamoDB and its client store a number of JSON unchanged. Refuses some numbers that could be stored, but no price and no stock.
 */
export function isStorableNumber(value: unknown): value is number {
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  return value === 0 || Math.abs(value) >= SMALLEST_FRACTION;
}

/** Whether DynamoDB stores a value of JSON unchanged: its numbers can be stored, and it has at most `levels` levels. */
export function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return isStorableNumber(value);
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isStorable(inner, levels - 1));
}

/** Whether a value of JSON is an object, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A JSON text as a message of SQS. Escapes U+FFFE and U+FFFF, which SQS replaces or refuses. `JSON.stringify` escapes the other
 * characters that SQS does not take.
 */
export function toMessageText(json: string): string {
  return json.replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}
