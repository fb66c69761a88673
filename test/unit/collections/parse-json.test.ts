import { expect, test } from 'vitest';
import { parseJson } from '../../../shared/collections/parse-json.ts';

test.each(['', 'oops', '{"a":', "{'a': 1}"])('%j is no JSON', (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test.each([null, false, 0, '', [], { a: 1 }])('%j is JSON, be it empty', (value) => {
  expect(parseJson(JSON.stringify(value))).toEqual(value);
});
