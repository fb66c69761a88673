import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWantedFile } from '../../../cli/reconcile/wanted-rows.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wanted-rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(name: string, content: string | Uint8Array, hints?: Record<string, string>) {
  const file = join(folder, name);
  await writeFile(file, content);
  return readWantedFile(file, hints);
}

const CSV = [
  'sku,price,specialPrice,stock,warehouses',
  'A,10,null,5,wh-1',
  'B,many,,,',
  '"C",30,,,',
  'D,40',
  ',50,,,wh-1:2|wh-2:3',
].join('\r\n');

test.each([
  ['rows.csv', CSV],
  ['rows.csv.gz', gzipSync(CSV)],
])('the rows of %s are read, and each that cannot be read is named by its line', async (name, content) => {
  expect(await read(name, content)).toEqual({
    rows: [
      {
        line: 2,
        target: 'sku:A',
        item: { sku: 'A', price: 10, specialPrice: null, stock: 5, warehouses: ['wh-1'] },
      },
      { line: 4, target: 'sku:C', item: { sku: 'C', price: 30 } },
      {
        line: 6,
        item: {
          price: 50,
          warehouses: [
            { clientId: 'wh-1', stock: 2 },
            { clientId: 'wh-2', stock: 3 },
          ],
        },
      },
    ],
    invalid: [
      { line: 3, target: 'sku:B', field: 'price', message: 'CELL_INVALID: "many" is not a number' },
      { line: 5, message: 'ROW_CELLS: the row has 2 cells, the header 5' },
    ],
  });
});

test('a file is read in its own notation and encoding, as an import of it', async () => {
  const content = Buffer.from('sku;price\nCaf\xe9;12.500\nB;12,50\n', 'latin1');
  const hints = { decimal: ',', encoding: 'windows-1252' };
  const { rows, invalid } = await read('notation.csv', content, hints);
  expect(rows.map(({ item }) => item)).toEqual([
    { sku: 'Caf\u00e9', price: 12_500 },
    { sku: 'B', price: 12.5 },
  ]);
  expect(invalid).toEqual([]);
  await expect(read('notation.csv', content)).rejects.toThrow('FILE_NOT_UTF8');
});

test('a row that a file has by mistake only is invalid, as in an import', async () => {
  const csv = await read('mistakes.csv', 'sku,price,specialPrice\nA,10,0\nB,10,11\nC,10,9\n');
  expect(csv.rows.map(({ item }) => item.sku)).toEqual(['C']);
  expect(csv.invalid).toEqual([
    {
      line: 2,
      target: 'sku:A',
      field: 'specialPrice',
      message: 'ROW_INVALID: specialPrice: must be above 0, or null',
    },
    {
      line: 3,
      target: 'sku:B',
      field: 'specialPrice',
      message: 'ROW_INVALID: specialPrice: must not be above the price, 10',
    },
  ]);
  const ndjson = await read('mistakes.ndjson', '{"sku":"8.99E+12","stock":5}\n');
  expect(ndjson.invalid).toMatchObject([{ line: 1, field: 'sku' }]);
});

test('lines of NDJSON and elements of a JSON array are read with their names', async () => {
  const id = 'ABCDEF01-0000-4000-8000-000000000000';
  const ndjson = await read('rows.ndjson', `{"id":"${id}","price":1}\n\n{oops\n{"sku":7,"stock":2}\n`);
  expect(ndjson.rows).toEqual([
    { line: 1, target: `id:${id.toLowerCase()}`, item: { id, price: 1 } },
    { line: 4, item: { sku: 7, stock: 2 } },
  ]);
  expect(ndjson.invalid).toEqual([{ line: 3, message: expect.stringMatching(/^ROW_NOT_JSON: /) }]);
  const json = await read('rows.json', '[{"sku":"A","price":1},{"sku":"B"}]');
  expect(json.rows.map(({ line, target }) => [line, target])).toEqual([
    [1, 'sku:A'],
    [2, 'sku:B'],
  ]);
});

test('the rows before the fault of a file are kept, and the fault is one of the rows that cannot be read', async () => {
  const { rows, invalid } = await read('cut.json', '{"items":[{"sku":"A","price":1},{"sku":"B"');
  expect(rows).toHaveLength(1);
  expect(invalid).toEqual([
    { line: 2, message: expect.stringMatching(/^FILE_TRUNCATED: .*; the rest of the file was not read$/) },
  ]);
});

test.each([
  ['rows.xlsx', '', 'must end in .ndjson, .json or .csv, with or without .gz'],
  ['empty.csv', 'sku,price\n', 'has no row'],
  ['version.csv', 'sku,price,version\nA,1,2\n', 'FILE_COLUMNS_UNKNOWN'],
  ['none.json', '{}', 'FILE_NOT_JSON'],
])('%s is refused as a whole', async (name, content, message) => {
  await expect(read(name, content)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(message),
  });
});

test('a file that is not there is refused', async () => {
  await expect(readWantedFile(join(folder, 'no.csv'))).rejects.toMatchObject({ code: 'USAGE' });
});
