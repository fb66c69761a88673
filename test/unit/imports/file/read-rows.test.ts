import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isRow } from '../../../../shared/imports/file/cut-rows.ts';
import { readRows } from '../../../../shared/imports/file/read-rows.ts';
import type { FileRow } from '../../../../shared/imports/file/row.ts';
import { fileKinds } from '../../../../shared/imports/rules/file-kinds.ts';
import { MAX_PRODUCT_BYTES } from '../../../../shared/products/model.ts';
import { deep, numbers, openFile, products, readFile, tooLong } from './read-file.ts';

describe('an NDJSON catalog', () => {
  test('has a product in each line, in whatever pieces it arrives', async () => {
    const file = '{"sku":"é"}\n{"sku":"日本"}\r\n{"sku":"c"}';
    for (const pieceBytes of [1, 2, 3, 7, 1000]) {
      expect(products(await readFile(file, {}, pieceBytes))).toEqual([
        { sku: 'é' },
        { sku: '日本' },
        { sku: 'c' },
      ]);
    }
  });

  test('may begin with a byte order mark', async () => {
    expect(products(await readFile('\uFEFF{"sku":"a"}\n'))).toEqual([{ sku: 'a' }]);
  });

  test('skips blank lines but counts them', async () => {
    const rows = await readFile('\n{"sku":"a"}\n\n  \n{"sku":"b"}\n\n');
    expect(numbers(rows)).toEqual([2, 5]);
  });

  test('reports a bad line and reads on', async () => {
    const rows = await readFile('{"sku":"a"}\n{"sku":\n[1]\n"text"\nnull\n{"sku":"b"}');
    expect(products(rows)).toEqual([
      { sku: 'a' },
      'ROW_NOT_JSON',
      'ROW_NOT_OBJECT',
      'ROW_NOT_OBJECT',
      'ROW_NOT_OBJECT',
      { sku: 'b' },
    ]);
    expect(numbers(rows)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('reports a line that is too long and reads on', async () => {
    const rows = await readFile(`{"name":"${tooLong}"}\n{"sku":"b"}\n`, {}, 50_000);
    expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }]);
  });

  test('reports a line with too many bytes in few characters as too large', async () => {
    const rows = await readFile(`{"name":"${'日'.repeat(MAX_PRODUCT_BYTES / 2)}"}\n{"sku":"b"}\n`);
    expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }]);
  });

  test('has a returned product of the largest size, without the reason of its failure', async () => {
    const product = { name: 'x'.repeat(MAX_PRODUCT_BYTES - '{"name":""}'.length) };
    const returned = { ...product, _rejection: { code: 'PRD_002', message: 'm'.repeat(300) } };
    const rows = await readFile(`${JSON.stringify(returned)}\n{"sku":"b"}`);
    expect(products(rows)).toEqual([product, { sku: 'b' }]);
    expect(rows[0]).toMatchObject({ bytes: MAX_PRODUCT_BYTES });
  });

  test('may have the character that stands for one that could not be read', async () => {
    expect(products(await readFile('{"name":"caf\uFFFD"}'))).toEqual([{ name: 'caf\uFFFD' }]);
  });

  test('reports a line that nests 5,000 deep and reads on', async () => {
    const rows = await readFile(`{"sku":"a"}\n{"name":${deep}}\n{"sku":"b"}\n`);
    expect(products(rows)).toEqual([{ sku: 'a' }, 'ROW_NOT_JSON', { sku: 'b' }]);
    expect(rows[1]).toMatchObject({ number: 2, fault: { message: expect.stringContaining('levels deep') } });
  });

  test('may have lines that end in carriage returns only', async () => {
    const rows = await readFile('{"sku":"a"}\r\r{"sku":"b"}\r\n{"sku":"c"}\n\r');
    expect(products(rows)).toEqual([{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }]);
    expect(numbers(rows)).toEqual([1, 3, 4]);
  });

  test.each([
    ['\u0000 between lines', '{"sku":"a"}\n\u0000\n{"sku":"b"}'],
    ['a byte order mark that is not the first character', '{"sku":"a"}\n\uFEFF{"sku":\n{"sku":"b"}'],
  ])('reports %s and reads on', async (_, file) => {
    expect(products(await readFile(file))).toEqual([{ sku: 'a' }, 'ROW_NOT_JSON', { sku: 'b' }]);
  });

  test('reports lines of many times the longest row once each, and keeps later line numbers', async () => {
    const file = `${tooLong.repeat(3)}\r\n${tooLong}xx\r\n${tooLong}\r\n{"sku":"b"}\r\n`;
    for (const pieceBytes of [4_099, 65_536, 10_000_000]) {
      const rows = await readFile(file, {}, pieceBytes);
      expect(products(rows)).toEqual(['ROW_TOO_LARGE', 'ROW_TOO_LARGE', 'ROW_NOT_JSON', { sku: 'b' }]);
      expect(numbers(rows)).toEqual([1, 2, 3, 4]);
    }
  });

  test('gives each product with its size in the file', async () => {
    expect(await readFile('{ "sku": "é" }')).toMatchObject([{ number: 1, value: { sku: 'é' }, bytes: 15 }]);
  });

  test('has no rows when it is empty', async () => {
    expect(await readFile('')).toEqual([]);
  });
});

describe('a gzip catalog', () => {
  test('reads like the plain file', async () => {
    const file = gzipSync('{"sku":"a"}\n{"sku":"b"}\n');
    expect(products(await readFile(file, { gzip: true }, 10))).toEqual([{ sku: 'a' }, { sku: 'b' }]);
  });

  test('is refused when it is not gzip data', async () => {
    await expect(readFile('{"sku":"a"}', { gzip: true })).rejects.toMatchObject({ code: 'FILE_NOT_GZIP' });
  });

  test('is refused when its data is incomplete', async () => {
    const file = gzipSync('{"sku":"a"}\n'.repeat(1000));
    await expect(readFile(file.subarray(0, -20), { gzip: true })).rejects.toMatchObject({
      code: 'FILE_TRUNCATED',
    });
  });

  test('yields the rows before the end of incomplete data, without the last one', async () => {
    const file = gzipSync('{"sku":"a"}\n'.repeat(1000), { level: 0 });
    const rows: FileRow[] = [];
    const reading = async () => {
      for await (const row of openFile(file.subarray(0, 4_100), { gzip: true }, 1_000)) rows.push(row);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'FILE_TRUNCATED' });
    expect(new Set(products(rows).map((row) => JSON.stringify(row)))).toEqual(new Set(['{"sku":"a"}']));
    expect(rows.length).toBeGreaterThan(300);
  });

  test('may have several compressed parts', async () => {
    const file = Buffer.concat([gzipSync('{"sku":"a"}\n{"sk'), gzipSync('u":"b"}\n')]);
    expect(products(await readFile(file, { gzip: true }))).toEqual([{ sku: 'a' }, { sku: 'b' }]);
  });

  test('may have other bytes after the compressed data', async () => {
    const file = Buffer.concat([gzipSync('{"sku":"a"}\n'), Buffer.from('\u0000\u0000not gzip')]);
    expect(products(await readFile(file, { gzip: true }))).toEqual([{ sku: 'a' }]);
  });

  test('passes on a failure of its source unchanged', async () => {
    const failure = new Error('connection reset');
    const source = new Readable({
      read() {
        this.destroy(failure);
      },
    });
    const reading = async () => {
      for await (const _ of readRows(source, fileKinds.catalog, { format: 'ndjson', gzip: true }))
        expect.unreachable();
    };
    await expect(reading()).rejects.toBe(failure);
  });
});

test('the reader of a compressed file can look at the clock while the rows before a position are skipped', async () => {
  const source = gzipSync(Buffer.concat([Buffer.alloc(5_000_000, '\n'), Buffer.from('{}')]));
  const from = { offset: 5_000_000, number: 5_000_001 };
  let groups = 0;
  for await (const rows of readRows(
    Readable.from([source]),
    fileKinds.catalog,
    { format: 'ndjson', gzip: true },
    from,
  ))
    groups += [...rows].length === 0 ? 1 : 0;
  expect(groups).toBeGreaterThan(20);
});

describe.each([
  ['ndjson', '\uFEFF{"sku":"é"}\n\n{oops\r\n{"sku":"日本"}\r{"sku":"c"}\n\n'],
  ['csv', 'sku,name\r\n"a,1","é\r\nb ""c"""\r\n\r\nB,日本\nC\n"D","d"'],
  ['json', '[{"sku":"é"} , {"a":},{"sku":"日本, [x]"},\n {"sku":"c"} ] \n'],
  ['json', '{"n":[1],"products":[{"sku":"a"},{"sku":"b"},],"m":[2]}'],
] as const)('a file of %s %j', (format, file) => {
  test.each([false, true])('is read on from the end of each row (compressed: %j)', async (gzip) => {
    const whole = await readFile(file, { format });
    expect(whole.length).toBeGreaterThan(1);
    const bytes = Buffer.from(file);
    for (const [index, { end }] of whole.entries()) {
      const source = gzip ? gzipSync(bytes) : bytes.subarray(end.offset);
      const rest = [];
      for await (const rows of readRows(Readable.from([source]), fileKinds.catalog, { format, gzip }, end))
        for (const part of rows) if (isRow(part)) rest.push(part);
      expect(rest).toEqual(whole.slice(index + 1));
    }
  });
});
