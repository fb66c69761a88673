import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { entriesFrom } from '../../../cli/clients/pages.ts';
import { numberOption, sinceOption } from '../../../cli/help.ts';
import { csv } from '../../../cli/render/csv.ts';
import { noneOf } from '../../../cli/render/words.ts';
import { processTerminal } from '../../../cli/terminal.ts';
import { products, readFile } from '../imports/file/read-file.ts';

/** A list of the numbers from 0 on, whose pages have at most `most` of them. */
function listOf(count: number, most: number) {
  const asked: unknown[] = [];
  const api = {
    call: async (
      schema: z.ZodType,
      _: string,
      __: unknown,
      { query = {} }: { query?: Record<string, unknown> },
    ) => {
      asked.push(query.limit);
      const start = Number(query.cursor ?? 0);
      const end = Math.min(count, start + Math.min(most, Number(query.limit)));
      const numbers = Array.from({ length: end - start }, (___, index) => start + index);
      return schema.parse({ numbers, ...(end < count && { cursor: String(end) }) });
    },
  } as unknown as ApiClient;
  const read = (limit: number, cursor?: string) =>
    entriesFrom(api, ['numbers'], { numbers: z.number() }, { limit, cursor });
  return { read, asked };
}

test('a list is read up to a limit over short pages, and goes on at its cursor without a gap', async () => {
  const { read, asked } = listOf(10, 3);
  const first = await read(7);
  expect(first).toEqual({ entries: [0, 1, 2, 3, 4, 5, 6], cursor: '7' });
  expect(asked).toEqual([7, 4, 1]);
  expect(await read(7, first.cursor)).toEqual({ entries: [7, 8, 9] });
});

test('what an answer says of a list is passed on, as that it has not everything', async () => {
  const call = async (schema: z.ZodType) => schema.parse({ numbers: [], message: 'not all' });
  const api = { call } as unknown as ApiClient;
  const numbers = { numbers: z.number() };
  expect(await entriesFrom(api, ['numbers'], numbers, { limit: 5 })).toEqual({
    entries: [],
    message: 'not all',
  });
});

test('CSV has an apostrophe before a text of others that begins like a formula, and none before a number', () => {
  const rows = [
    ['=HYPERLINK("https://evil.example")', -1],
    ['@SUM(A1)', 2],
    ['a=b', 3],
  ];
  expect(csv(['message', 'row'], rows)).toBe(
    `\uFEFFmessage,row\r\n"'=HYPERLINK(""https://evil.example"")",-1\r\n'@SUM(A1),2\r\na=b,3\r\n`,
  );
});

test('CSV quotes what has commas, quotes or line breaks, and leaves what is absent empty', () => {
  expect(
    csv(
      ['a', 'b'],
      [
        ['x,y', undefined],
        ['say "no"', 7],
        ['two\nlines', ''],
      ],
    ),
  ).toBe('\uFEFFa,b\r\n"x,y",\r\n"say ""no""",7\r\n"two\nlines",\r\n');
});

test('CSV that is written to standard output reads back as the same texts', async () => {
  const rows = [
    ['W\u200B-1', 'two\r\nlines, of caf\u00E9'],
    ['00123', 'say "no"'],
  ] as const;
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  processTerminal().printFile(csv(['sku', 'name'], rows));
  const written = write.mock.calls.map(([text]) => text).join('');
  write.mockRestore();
  const read = await readFile(written, { format: 'csv' });
  expect(products(read)).toEqual(rows.map(([sku, name]) => ({ sku, name })));
});

test('since is a time, or how long ago', () => {
  expect(sinceOption('2026-11-22T15:00:00Z')).toBe('2026-11-22T15:00:00.000Z');
  const ago = Date.now() - Date.parse(sinceOption('24h'));
  expect(Math.abs(ago - 86_400_000)).toBeLessThan(60_000);
  expect(sinceOption('2026-11-22T15:00+0700')).toBe('2026-11-22T08:00:00.000Z');
  for (const wrong of ['yesterday', '5', '5 weeks', '', '2026-02-31T00:00:00Z'])
    expect(() => sinceOption(wrong)).toThrow(/how long ago/);
});

test.each(['2026-11-22', '2026-11-22T15:00:00', '2026-11-22 15:00'])(
  'since %s is refused, as it may be of any time zone',
  (text) => {
    expect(() => sinceOption(text)).toThrow('with its offset from UTC');
  },
);

test.each([
  ['12.5', 12.5],
  ['12.5000', 12.5],
  ['12500', 12_500],
  ['-1', -1],
])('a price of %s is %d', (text, price) => {
  expect(numberOption(text)).toBe(price);
});

test.each([
  ['12.500', 'Write 12.5000 or 12500.'],
  ['12,500', 'Write 12500 or 12.5000.'],
  ['12,50', 'Write 12.5000.'],
  ['1e3', 'It must be a number'],
  ['0x10', 'It must be a number'],
  ['', 'It must be a number'],
  ['9007199254740993', 'It has more digits than computers keep.'],
])('a price of %j is refused: %s', (text, message) => {
  expect(() => numberOption(text)).toThrow(message);
});

test('an empty list is not said to have never had an entry: records expire, and none may be left behind a cursor', () => {
  expect(noneOf('file of s-1', undefined)).toBe('No record of any file of s-1.');
  expect(noneOf('file of s-1', 'c')).toBe('No further file of s-1.');
});
