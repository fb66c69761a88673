/** Deepest accepted nesting of JSON: a few thousand levels overflow the stack of functions such as `JSON.stringify`. */
export const MAX_LEVELS = 100;

/** Parses a JSON text; `undefined` if it is not JSON, or nests arrays and objects more than 100 deep. */
export function parseJson(text: string): unknown {
  try {
    return parseJsonOrThrow(text);
  } catch {
    return undefined;
  }
}

/** As {@link parseJson}. @throws {SyntaxError} with the reason, in place of `undefined`. */
export function parseJsonOrThrow(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value)) throw new SyntaxError(`it nests more than ${MAX_LEVELS} levels deep`);
  return value;
}

/** Whether a value of JSON nests arrays and objects more than 100 deep. */
export function isTooDeep(value: unknown): boolean {
  let level = nested([value]);
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels === MAX_LEVELS) return true;
    level = level.flatMap((outer) => nested(Object.values(outer)));
  }
  return false;
}

function nested(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}

/** Whether a value of JSON is an object, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
