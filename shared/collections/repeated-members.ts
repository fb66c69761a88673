/** Names of members and positions in arrays, from the outermost value on. */
export type JsonPath = readonly (string | number)[];

/** An array or object that is open. */
interface Level {
  /** The names of an object's members up to now; `undefined` for an array. */
  readonly names: Set<string> | undefined;
  /** The name of the current member, or the position of the current element. */
  at: string | number;
}

const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * The members that an object in a JSON text has twice. `JSON.parse` takes the last one, other readers the first, and the writer may have
 * meant either.
 *
 * @param text valid JSON
 * @param value the parsed value, unless it nests too deep
 */
export function repeatedMembers(text: string, value?: unknown): JsonPath[] {
  // Most texts are equal to what JSON.stringify writes. With a repeated member a text would be longer.
  if (JSON.stringify(value) === text) return [];
  const found: JsonPath[] = [];
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    const level = levels.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      if (level?.names !== undefined && isBeforeColon(text, end)) {
        const name: string = JSON.parse(text.slice(at, end + 1));
        level.at = name;
        if (level.names.has(name)) found.push(levels.map((one) => one.at));
        level.names.add(name);
      }
      at = end;
    } else if (character === '{') levels.push({ names: new Set(), at: '' });
    else if (character === '[') levels.push({ names: undefined, at: 0 });
    else if (character === '}' || character === ']') levels.pop();
    else if (character === ',' && typeof level?.at === 'number') level.at += 1;
  }
  return found;
}

/** The position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

function isBeforeColon(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return text[at] === ':';
}
