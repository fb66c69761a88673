import { describe, expect, test } from 'vitest';
import { examplesOf } from './examples.ts';
import { expectShown } from './shown-output.ts';

const json = (text: string) => ({ language: 'json', text }) as const;

describe('the examples of a page', () => {
  const page = [
    '# Page',
    'It is refused with status 404:',
    '```sh\nfirst\n```',
    '```json\n{}\n```',
    'A paragraph.',
    '```sh\nsecond\n```',
    '## Next',
    '```json\n{"not": "the output of second"}\n```',
    '```console\n$ never run\n```',
  ].join('\n\n');

  test('are its commands with their status and output', () => {
    expect(examplesOf(page)).toEqual([
      { code: 'first\n', line: 5, status: 404, output: json('{}\n') },
      { code: 'second\n', line: 15 },
    ]);
  });
});

describe('what a command printed', () => {
  test.each([
    ['other IDs and times', '{"id":"0da750c2-8140-4520-a95c-778cf4fa6af8","at":"2026-01-01T00:00:00.000Z"}'],
    [
      'the fields in another order',
      '{"at":"2026-01-01T00:00:00.000Z","id":"ff8ee0e6-7744-4ea6-afef-4ef40c2cac69"}',
    ],
  ])('is what the page shows with %s', (_, printed) => {
    const shown = '{"id": "a70bc3c2-0000-4520-a95c-778cf4fa6af8", "at": "2026-11-22T15:44:53.253Z"}';
    expectShown(printed, json(shown));
  });

  test('may have more fields and elements where the page says so', () => {
    expectShown('{"a":1,"b":[1,2],"c":3}', json('{"a": 1, "b": [2, "…"], "…": "…"}'));
  });

  test.each([
    ['a value', '{"a":2}', '{"a": 1}'],
    ['a field more', '{"a":1,"b":2}', '{"a": 1}'],
    ['a field less', '{}', '{"a": 1, "…": "…"}'],
    ['no JSON', 'oh', '{}'],
  ])('is not what the page shows if it differs by %s', (_, printed, shown) => {
    expect(() => expectShown(printed, json(shown))).toThrow();
  });

  test('is compared to the letter where the page shows a text', () => {
    const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expectShown(`${hash}\n`, { language: 'text', text: hash });
    expect(() => expectShown(`f${hash.slice(1)}`, { language: 'text', text: hash })).toThrow();
  });
});
