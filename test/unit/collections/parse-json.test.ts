import { expect, test } from 'vitest';
import { parseJson } from '../../../shared/collections/parse-json.ts';

test.each(['', 'oops', '{"a":', "{'a': 1}"])('parseJson refuses %j', (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test.each([null, false, 0, '', [], { a: 1 }])('parseJson returns %j', (value) => {
  expect(parseJson(JSON.stringify(value))).toEqual(value);
});

test('parseJson ignores a byte order mark before the text, and refuses one anywhere else', () => {
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  for (const text of ['\uFEFF\uFEFF{}', '{}\uFEFF', ' \uFEFF{}']) expect(parseJson(text)).toBeUndefined();
});

test.each([
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
])('parseJson accepts %s that nest 100 deep, and no deeper', (_, open, close) => {
  const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
  expect(JSON.stringify(parseJson(nested(100)))).toBe(nested(100));
  for (const levels of [101, 5_000, 100_000]) expect(parseJson(nested(levels))).toBeUndefined();
});
