import { permutations } from './permutations.ts';

/** Objects with more keys are tried with their keys reversed only. */
const MAX_PERMUTED_KEYS = 6;
/** All orders of keys together are written with at most this many characters, which takes about 0.3 s. */
const MAX_WRITTEN = 8_000_000;

/** A way to write a JSON value; `how` completes "The body was hashed …". */
export interface Serialisation {
  how: string;
  text: string;
}

const SPACINGS: { how: string; print(value: unknown): string }[] = [
  { how: 'compact', print: (value) => JSON.stringify(value) },
  { how: 'with a space after each comma and colon', print: spaced },
  { how: 'pretty-printed (2 spaces)', print: (value) => JSON.stringify(value, null, 2) },
  { how: 'pretty-printed (4 spaces)', print: (value) => JSON.stringify(value, null, 4) },
  { how: 'pretty-printed (tabs)', print: (value) => JSON.stringify(value, null, '\t') },
  {
    how: 'pretty-printed (2 spaces, CRLF)',
    print: (value) => JSON.stringify(value, null, 2).replaceAll('\n', '\r\n'),
  },
];

const ESCAPES: { how: string; escape(text: string): string }[] = [
  { how: '', escape: (text) => text },
  { how: ' with non-ASCII characters escaped', escape: asciiOnly },
  { how: ' with slashes escaped', escape: (text) => text.replaceAll('/', '\\/') },
];

const KEY_ORDERS: { how: string; order(keys: string[]): string[] }[] = [
  { how: '', order: (keys) => keys },
  { how: ' with sorted keys', order: (keys) => keys.toSorted() },
];

/** The forms in which JSON libraries write the same value; none if the text is not JSON. */
export function serialisations(json: string): Serialisation[] {
  return ofJson(json, (value) => {
    const ways = KEY_ORDERS.flatMap((keys) => {
      const ordered = reordered(value, keys.order);
      return SPACINGS.flatMap((spacing) => {
        const printed = spacing.print(ordered);
        return ESCAPES.map((escapes) => ({
          how: `${spacing.how}${keys.how}${escapes.how}`,
          text: escapes.escape(printed),
        }));
      });
    });
    return [
      ...ways,
      { how: 'as a JSON string (encoded twice)', text: JSON.stringify(JSON.stringify(value)) },
    ];
  });
}

/** The forms of the same value with its keys in other orders; none if there are too many orders, or if the text is not JSON. */
export function keyOrders(json: string): Serialisation[] {
  return ofJson(json, (value) => {
    const shapes = new Map<string, string[][]>();
    collectShapes(value, shapes);
    const count = [...shapes.values()].reduce((product, orders) => product * orders.length, 1);
    if (count * SPACINGS.length * json.length > MAX_WRITTEN) return [];
    const choices = [...shapes].reduce<Map<string, string[]>[]>(
      (chosen, [shape, orders]) =>
        chosen.flatMap((earlier) => orders.map((order) => new Map(earlier).set(shape, order))),
      [new Map()],
    );
    return choices.flatMap((choice) => {
      const ordered = reordered(value, (keys) => choice.get(shapeOf(keys)) ?? keys);
      return SPACINGS.map(({ how, print }) => ({
        how: `${how} and with its keys in another order`,
        text: print(ordered),
      }));
    });
  });
}

function ofJson<T>(json: string, waysOf: (value: unknown) => T[]): T[] {
  try {
    return waysOf(JSON.parse(json));
  } catch {
    // Not JSON, or nested too deeply.
    return [];
  }
}

function shapeOf(keys: string[]): string {
  return JSON.stringify(keys.toSorted());
}

/** Collects one entry for all objects with the same keys: a library writes such objects in the same order. */
function collectShapes(value: unknown, shapes: Map<string, string[][]>): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    const keys = Object.keys(value);
    shapes.set(
      shapeOf(keys),
      keys.length > MAX_PERMUTED_KEYS ? [keys, keys.toReversed()] : permutations(keys),
    );
  }
  for (const child of Object.values(value)) collectShapes(child, shapes);
}

function reordered(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((child) => reordered(child, order));
  const entries = new Map(Object.entries(value));
  return Object.fromEntries(
    order([...entries.keys()]).map((key) => [key, reordered(entries.get(key), order)]),
  );
}

/** The default form of Python's `json.dumps`. */
function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  const members = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${spaced(child)}`);
  return `{${members.join(', ')}}`;
}

function asciiOnly(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
