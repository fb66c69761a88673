/** The JSON of an event or of a part of it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Whether an event matches; made once for each rule. */
export type EventMatcher = (event: Json) => boolean;

/** Tests the value of one field. The value is `undefined` when the event lacks the field. Of a list each element is tested on its own. */
type ValueTest = (value: Json | undefined) => boolean;

/**
 * Compiles an event pattern.
 *
 * @throws Error for an empty object or list, which EventBridge refuses, and for an unsupported content filter: if it were ignored,
 * everything would match.
 */
export function compilePattern(pattern: unknown): EventMatcher {
  if (!isObject(pattern)) throw new Error(`An event pattern is an object, not ${JSON.stringify(pattern)}`);
  if (Object.keys(pattern).length === 0) throw new Error('Empty objects are not allowed');
  const fields = Object.entries(pattern).map(([name, part]) =>
    name === '$or' ? compileOr(part) : compileField(name, part),
  );
  return (event) => fields.every((matches) => matches(event));
}

function compileOr(alternatives: unknown): EventMatcher {
  if (!Array.isArray(alternatives)) throw new Error('$or needs a list of patterns');
  const matchers = alternatives.map(compilePattern);
  return (event) => matchers.some((matches) => matches(event));
}

function compileField(name: string, part: unknown): EventMatcher {
  if (!Array.isArray(part)) {
    const inner = compilePattern(part);
    return (event) => elements(field(event, name)).some((value) => inner(value ?? null));
  }
  if (part.length === 0) throw new Error('Empty arrays are not allowed');
  const tests = part.map(compileTest);
  return (event) => elements(field(event, name)).some((value) => tests.some((test) => test(value)));
}

function field(event: Json, name: string): Json | undefined {
  return isObject(event) ? (event[name] as Json | undefined) : undefined;
}

function elements(value: Json | undefined): readonly (Json | undefined)[] {
  return Array.isArray(value) ? value : [value as Json | undefined];
}

function compileTest(test: unknown): ValueTest {
  if (!isObject(test)) return (value) => value === test;
  const [[name, argument] = ['', undefined], ...more] = Object.entries(test);
  const compile = filters[name];
  if (!compile || more.length > 0)
    throw new Error(`The content filter ${JSON.stringify(test)} is not known to the local run`);
  return compile(argument);
}

const filters: Readonly<Record<string, (argument: unknown) => ValueTest>> = {
  prefix: (argument) => textTest(argument, (value, text) => value.startsWith(text)),
  suffix: (argument) => textTest(argument, (value, text) => value.endsWith(text)),
  'equals-ignore-case': (argument) =>
    textTest(argument, (value, text) => value.toLowerCase() === text.toLowerCase()),
  wildcard: (argument) => textTest(argument, (value, text) => wildcard(text).test(value)),
  exists: (argument) => (value) => (value !== undefined) === argument,
  numeric: (argument) => numericTest(argument),
  'anything-but': (argument) => anythingBut(argument),
};

function textTest(argument: unknown, matches: (value: string, text: string) => boolean): ValueTest {
  if (typeof argument !== 'string')
    throw new Error(`A text filter needs a string, not ${JSON.stringify(argument)}`);
  return (value) => typeof value === 'string' && matches(value, argument);
}

function wildcard(text: string): RegExp {
  return new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
}

function anythingBut(argument: unknown): ValueTest {
  const excluded = (Array.isArray(argument) ? argument : [argument]).map(compileTest);
  return (value) => value !== undefined && !excluded.some((test) => test(value));
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

function numericTest(argument: unknown): ValueTest {
  const parts = Array.isArray(argument) ? argument : [];
  const bounds: ((value: number) => boolean)[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const compare = comparisons[String(parts[index])];
    const bound: unknown = parts[index + 1];
    if (!compare || typeof bound !== 'number')
      throw new Error(`Not a numeric filter: ${JSON.stringify(argument)}`);
    bounds.push((value) => compare(value, bound));
  }
  if (bounds.length === 0) throw new Error(`Not a numeric filter: ${JSON.stringify(argument)}`);
  return (value) => typeof value === 'number' && bounds.every((holds) => holds(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
