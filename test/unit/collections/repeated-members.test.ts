import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedMembers } from '../../../shared/collections/repeated-members.ts';

const repeatedIn = (text: string) =>
  repeatedMembers(text, JSON.parse(text)).map((path) => path.map(String).join('.'));

test.each([
  ['{"a":1,"a":1}', ['a']],
  ['{"a" : 1 ,\n"a"\t: 2}', ['a']],
  ['{"a":1,"\\u0061":2}', ['a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"a":{"b":1,"b":2},"c":[{"x":1},{"y":[1,{"z":1,"z":2}]}],"a":1}', ['a.b', 'c.1.y.1.z', 'a']],
  ['[{"a":[[],[{"b":"}","b":"{"}]]}]', ['0.a.1.0.b']],
])('the members that %s has twice are found by their paths', (text, paths) => {
  expect(repeatedIn(text)).toEqual(paths);
});

test.each([
  '{"a":"a","b":["a","a"]}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":1,\\\\"}',
  '"a"',
])('%s has no member twice', (text) => {
  expect(repeatedIn(` ${text}`)).toEqual([]);
});

test('no JSON that a program writes has a member twice, however it is laid out', () => {
  const written = fc.tuple(fc.json(), fc.constantFrom(0, 1, '\t'));
  fc.assert(
    fc.property(written, ([json, indent]) => {
      expect(repeatedIn(JSON.stringify(JSON.parse(json), null, indent))).toEqual([]);
    }),
  );
});
