/** Deepest nesting of JSON that is taken: a few thousand levels overflow the stack of what walks them, `JSON.stringify` included. */
const MAX_LEVELS = 100;

/** What a text says as JSON; `undefined` for one that is none, or that nests arrays and objects more than 100 deep. */
export function parseJson(text: string): unknown {
  try {
    return parseJsonOrThrow(text);
  } catch {
    return undefined;
  }
}

/** @throws {SyntaxError} where {@link parseJson} gives `undefined`, with the reason. */
export function parseJsonOrThrow(text: string): unknown {
  const value: unknown = JSON.parse(text);
  let level = nested([value]);
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels === MAX_LEVELS) throw new SyntaxError(`it nests more than ${MAX_LEVELS} levels deep`);
    level = level.flatMap((outer) => nested(Object.values(outer)));
  }
  return value;
}

function nested(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
