import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CatalogRow } from '../../../../shared/products/catalog-file/model.ts';
import { readCatalog } from '../../../../shared/products/catalog-file/read-catalog.ts';
import { MAX_PRODUCT_BYTES } from '../../../../shared/products/model.ts';
import { deep, numbers, openFile, products, readFile, tooLong } from './read-file.ts';

describe('ndjson', () => {
  test('each line is a product, whatever the pieces it arrives in', async () => {
    const file = '{"sku":"é"}\n{"sku":"日本"}\r\n{"sku":"c"}';
    for (const pieceBytes of [1, 2, 3, 7, 1000]) {
      expect(products(await readFile(file, {}, pieceBytes))).toEqual([
        { sku: 'é' },
        { sku: '日本' },
        { sku: 'c' },
      ]);
    }
  });

  test('a byte order mark is skipped', async () => {
    expect(products(await readFile('\uFEFF{"sku":"a"}\n'))).toEqual([{ sku: 'a' }]);
  });

  test('blank lines are no rows but count as lines', async () => {
    const rows = await readFile('\n{"sku":"a"}\n\n  \n{"sku":"b"}\n\n');
    expect(numbers(rows)).toEqual([2, 5]);
  });

  test('a bad line is at fault by itself', async () => {
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

  test('a line that is too long is at fault by itself', async () => {
    const rows = await readFile(`{"name":"${tooLong}"}\n{"sku":"b"}\n`, {}, 50_000);
    expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }]);
  });

  test('a line that is short in characters but not in bytes is too large', async () => {
    const rows = await readFile(`{"name":"${'日'.repeat(MAX_PRODUCT_BYTES / 2)}"}\n{"sku":"b"}\n`);
    expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }]);
  });

  test('a line that is not UTF-8 is at fault by itself', async () => {
    const file = Buffer.concat([
      Buffer.from('{"name":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}\n{"sku":"b"}'),
    ]);
    expect(products(await readFile(file))).toEqual(['ROW_NOT_UTF8', { sku: 'b' }]);
  });

  test('a line that nests 5,000 deep is at fault by itself', async () => {
    const rows = await readFile(`{"sku":"a"}\n{"name":${deep}}\n{"sku":"b"}\n`);
    expect(products(rows)).toEqual([{ sku: 'a' }, 'ROW_NOT_JSON', { sku: 'b' }]);
    expect(rows[1]).toMatchObject({ number: 2, fault: { message: expect.stringContaining('levels deep') } });
  });

  test('lines may end in carriage returns alone', async () => {
    const rows = await readFile('{"sku":"a"}\r\r{"sku":"b"}\r\n{"sku":"c"}\n\r');
    expect(products(rows)).toEqual([{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }]);
    expect(numbers(rows)).toEqual([1, 3, 4]);
  });

  test.each([
    ['\u0000 between lines', '{"sku":"a"}\n\u0000\n{"sku":"b"}'],
    ['a byte order mark that is not the first character', '{"sku":"a"}\n\uFEFF{"sku":\n{"sku":"b"}'],
  ])('%s is at fault by itself', async (_, file) => {
    expect(products(await readFile(file))).toEqual([{ sku: 'a' }, 'ROW_NOT_JSON', { sku: 'b' }]);
  });

  test('lines of many times the longest row are one fault each, and the lines after them keep their numbers', async () => {
    const file = `${tooLong.repeat(3)}\r\n${tooLong}xx\r\n${tooLong}\r\n{"sku":"b"}\r\n`;
    for (const pieceBytes of [4_099, 65_536, 10_000_000]) {
      const rows = await readFile(file, {}, pieceBytes);
      expect(products(rows)).toEqual(['ROW_TOO_LARGE', 'ROW_TOO_LARGE', 'ROW_NOT_JSON', { sku: 'b' }]);
      expect(numbers(rows)).toEqual([1, 2, 3, 4]);
    }
  });

  test('a product carries its size as JSON', async () => {
    expect(await readFile('{ "sku": "é" }')).toEqual([{ number: 1, product: { sku: 'é' }, bytes: 12 }]);
  });

  test('an empty file has no rows', async () => {
    expect(await readFile('')).toEqual([]);
  });
});

describe('gzip', () => {
  test('a compressed file reads as the plain one', async () => {
    const file = gzipSync('{"sku":"a"}\n{"sku":"b"}\n');
    expect(products(await readFile(file, { gzip: true }, 10))).toEqual([{ sku: 'a' }, { sku: 'b' }]);
  });

  test('data that is not gzip is refused', async () => {
    await expect(readFile('{"sku":"a"}', { gzip: true })).rejects.toMatchObject({ code: 'FILE_NOT_GZIP' });
  });

  test('data that stops short is refused', async () => {
    const file = gzipSync('{"sku":"a"}\n'.repeat(1000));
    await expect(readFile(file.subarray(0, -20), { gzip: true })).rejects.toMatchObject({
      code: 'FILE_TRUNCATED',
    });
  });

  test('what is left of the file when the data stops short is read, but for the row that it stops in', async () => {
    const file = gzipSync('{"sku":"a"}\n'.repeat(1000), { level: 0 });
    const rows: CatalogRow[] = [];
    const reading = async () => {
      for await (const row of openFile(file.subarray(0, 4_100), { gzip: true }, 1_000)) rows.push(row);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'FILE_TRUNCATED' });
    expect(new Set(products(rows).map((row) => JSON.stringify(row)))).toEqual(new Set(['{"sku":"a"}']));
    expect(rows.length).toBeGreaterThan(300);
  });

  test('several compressed parts, one after the other, are one file', async () => {
    const file = Buffer.concat([gzipSync('{"sku":"a"}\n{"sk'), gzipSync('u":"b"}\n')]);
    expect(products(await readFile(file, { gzip: true }))).toEqual([{ sku: 'a' }, { sku: 'b' }]);
  });

  test('bytes that follow the compressed data are left alone', async () => {
    const file = Buffer.concat([gzipSync('{"sku":"a"}\n'), Buffer.from('\u0000\u0000not gzip')]);
    expect(products(await readFile(file, { gzip: true }))).toEqual([{ sku: 'a' }]);
  });

  test('a failure of the source passes through unchanged', async () => {
    const failure = new Error('connection reset');
    const source = new Readable({
      read() {
        this.destroy(failure);
      },
    });
    const reading = async () => {
      for await (const _ of readCatalog(source, { format: 'ndjson', gzip: true })) expect.unreachable();
    };
    await expect(reading()).rejects.toBe(failure);
  });
});
