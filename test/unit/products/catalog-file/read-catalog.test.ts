import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type CatalogEncoding, readCatalog } from '../../../../shared/products/catalog-file/read-catalog.ts';
import type { CatalogRow } from '../../../../shared/products/catalog-file/row.ts';
import { MAX_PRODUCT_BYTES } from '../../../../shared/products/model.ts';

/** Reads a file that arrives in pieces of `pieceBytes`. */
async function read(
  file: string | Buffer,
  encoding: Partial<CatalogEncoding> = {},
  pieceBytes = 65_536,
): Promise<CatalogRow[]> {
  const bytes = Buffer.from(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const rows: CatalogRow[] = [];
  const source = Readable.from(pieces, { objectMode: false });
  for await (const row of readCatalog(source, { format: 'ndjson', gzip: false, ...encoding })) rows.push(row);
  return rows;
}

const products = (rows: CatalogRow[]) => rows.map((row) => ('product' in row ? row.product : row.fault.code));
const numbers = (rows: CatalogRow[]) => rows.map((row) => row.number);
const long = 'x'.repeat(MAX_PRODUCT_BYTES);

describe('ndjson', () => {
  test('each line is a product, whatever the pieces it arrives in', async () => {
    const file = '{"sku":"é"}\n{"sku":"日本"}\r\n{"sku":"c"}';
    for (const pieceBytes of [1, 2, 3, 7, 1000]) {
      expect(products(await read(file, {}, pieceBytes))).toEqual([
        { sku: 'é' },
        { sku: '日本' },
        { sku: 'c' },
      ]);
    }
  });

  test('a byte order mark is skipped', async () => {
    expect(products(await read('\uFEFF{"sku":"a"}\n'))).toEqual([{ sku: 'a' }]);
  });

  test('blank lines are no rows but count as lines', async () => {
    const rows = await read('\n{"sku":"a"}\n\n  \n{"sku":"b"}\n\n');
    expect(numbers(rows)).toEqual([2, 5]);
  });

  test('a bad line is at fault by itself', async () => {
    const rows = await read('{"sku":"a"}\n{"sku":\n[1]\n"text"\nnull\n{"sku":"b"}');
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
    const rows = await read(`{"name":"${long}"}\n{"sku":"b"}\n`, {}, 50_000);
    expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }]);
  });

  test('a line that is short in characters but not in bytes is too large', async () => {
    const rows = await read(`{"name":"${'日'.repeat(MAX_PRODUCT_BYTES / 2)}"}\n{"sku":"b"}\n`);
    expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }]);
  });

  test('a line that is not UTF-8 is at fault by itself', async () => {
    const file = Buffer.concat([
      Buffer.from('{"name":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}\n{"sku":"b"}'),
    ]);
    expect(products(await read(file))).toEqual(['ROW_NOT_UTF8', { sku: 'b' }]);
  });

  test('a product carries its size as JSON', async () => {
    expect(await read('{ "sku": "é" }')).toEqual([{ number: 1, product: { sku: 'é' }, bytes: 12 }]);
  });

  test('an empty file has no rows', async () => {
    expect(await read('')).toEqual([]);
  });
});

describe('json', () => {
  const json = (file: string, pieceBytes?: number) => read(file, { format: 'json' }, pieceBytes);

  test('an array gives its elements, whatever the pieces it arrives in', async () => {
    const elements = [{ name: 'a, "b" ] }' }, { variants: { items: [{ x: [1, 2] }] } }, { name: '\\"[' }, {}];
    for (const pieceBytes of [1, 5, 1000]) {
      expect(products(await json(JSON.stringify(elements, null, 2), pieceBytes))).toEqual(elements);
    }
  });

  test('an object gives the elements of its products, whatever stands before them', async () => {
    const file = JSON.stringify({
      products_: 1,
      a: { products: [1] },
      b: ['products', ':'],
      products: [{ sku: 'a' }],
      z: 1,
    });
    for (const pieceBytes of [1, 5, 1000]) {
      expect(products(await json(file, pieceBytes))).toEqual([{ sku: 'a' }]);
    }
  });

  test('a value that reads "products" is not the member', async () => {
    expect(products(await json('{"type":"products","list":[1],"products":[{"sku":"a"}]}'))).toEqual([
      { sku: 'a' },
    ]);
  });

  test('a broken element is at fault by itself', async () => {
    const rows = await json('[{"sku":"a"}, {"sku": 1 2}, , 7, {"sku":"b"},]');
    expect(products(rows)).toEqual([
      { sku: 'a' },
      'ROW_NOT_JSON',
      'ROW_NOT_JSON',
      'ROW_NOT_OBJECT',
      { sku: 'b' },
    ]);
    expect(numbers(rows)).toEqual([1, 2, 3, 4, 5]);
  });

  test('an element that is too long is at fault by itself', async () => {
    expect(products(await json(`[{"name":"${long}"},{"sku":"b"}]`, 50_000))).toEqual([
      'ROW_TOO_LARGE',
      { sku: 'b' },
    ]);
  });

  test('an empty array has no rows', async () => {
    expect(await json(' [ ] ')).toEqual([]);
  });

  test.each([
    ['', 'FILE_EMPTY'],
    ['  \n', 'FILE_EMPTY'],
    ['"text"', 'FILE_NOT_JSON'],
    ['sku,name', 'FILE_NOT_JSON'],
    ['{"items":[]}', 'FILE_NOT_JSON'],
    ['{"products":{}}', 'FILE_NOT_JSON'],
    ['{"sku":"a"', 'FILE_NOT_JSON'],
    ['[{"sku":"a"}', 'FILE_TRUNCATED'],
    ['[{"sku":"a', 'FILE_TRUNCATED'],
  ])('%j is refused as %s', async (file, code) => {
    await expect(json(file)).rejects.toMatchObject({ name: 'CatalogFileFault', code });
  });
});

describe('csv', () => {
  const csv = (file: string, pieceBytes?: number) => read(file, { format: 'csv' }, pieceBytes);

  test('columns become fields of their type', async () => {
    const file = [
      'externalId,name,sku,price,specialPrice,dimensions.length,dimensions.width,hashtags,photos,isPreorder,warehouses',
      '1,"Kaos, ""M""",A-1,10.5,null,1,2.5,a|b, https://a.example/1 | https://a.example/2 ,TRUE,wh-1:5|wh:2:7',
    ].join('\r\n');
    for (const pieceBytes of [1, 7, 1000]) {
      expect(products(await csv(file, pieceBytes))).toEqual([
        {
          externalId: '1',
          name: 'Kaos, "M"',
          sku: 'A-1',
          price: 10.5,
          specialPrice: null,
          dimensions: { length: 1, width: 2.5 },
          hashtags: ['a', 'b'],
          photos: ['https://a.example/1', 'https://a.example/2'],
          isPreorder: true,
          warehouses: [
            { clientId: 'wh-1', stock: 5 },
            { clientId: 'wh:2', stock: 7 },
          ],
        },
      ]);
    }
  });

  test('an empty cell leaves its field out', async () => {
    expect(products(await csv('sku,price,stock\nA,,0\n'))).toEqual([{ sku: 'A', stock: 0 }]);
  });

  test('a quoted cell may span lines, and a row has the number of its last line', async () => {
    const rows = await csv('sku,description\nA,"one\ntwo"\n\nB,12" wide\n');
    expect(products(rows)).toEqual([
      { sku: 'A', description: 'one\ntwo' },
      { sku: 'B', description: '12" wide' },
    ]);
    expect(numbers(rows)).toEqual([3, 5]);
  });

  test.each([
    ['price', 'ten'],
    ['price', '1e3'],
    ['isArchived', 'yes'],
    ['warehouses', 'wh-1'],
    ['warehouses', 'wh-1:5|:3'],
    ['warehouses', 'wh-1:x'],
  ])('a %s of %j is at fault by itself, with its column', async (column, cell) => {
    const rows = await csv(`sku,${column}\nA,${cell}\nB,\n`);
    expect(rows[0]).toMatchObject({ number: 2, fault: { code: 'CELL_INVALID', field: column } });
    expect(products(rows.slice(1))).toEqual([{ sku: 'B' }]);
  });

  test('a row with more or fewer cells than the header is at fault by itself', async () => {
    expect(products(await csv('sku,stock\nA\nB,1,2\nC,3\n'))).toEqual([
      'ROW_CELLS',
      'ROW_CELLS',
      { sku: 'C', stock: 3 },
    ]);
  });

  test('an unknown column refuses the file', async () => {
    await expect(csv('sku,colour\nA,red\n')).rejects.toMatchObject({ code: 'FILE_COLUMNS_UNKNOWN' });
  });

  test('a quote that is never closed ends the reading where it began to', async () => {
    const rows: CatalogRow[] = [];
    const source = Readable.from([Buffer.from('sku,name\nA,a\nB,"b\nC,c\n')], { objectMode: false });
    const reading = async () => {
      for await (const row of readCatalog(source, { format: 'csv', gzip: false })) rows.push(row);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'FILE_NOT_CSV' });
    expect(products(rows)).toEqual([{ sku: 'A', name: 'a' }]);
  });

  test('a row that is too long ends the reading', async () => {
    await expect(csv(`sku,name\nA,${long}x\nB,b\n`)).rejects.toMatchObject({ code: 'FILE_NOT_CSV' });
  });

  test('a cell that names a field of every object is not one of ours', async () => {
    await expect(csv('sku,__proto__\nA,x\n')).rejects.toMatchObject({ code: 'FILE_COLUMNS_UNKNOWN' });
  });
});

describe('gzip', () => {
  test('a compressed file reads as the plain one', async () => {
    const file = gzipSync('{"sku":"a"}\n{"sku":"b"}\n');
    expect(products(await read(file, { gzip: true }, 10))).toEqual([{ sku: 'a' }, { sku: 'b' }]);
  });

  test('data that is not gzip is refused', async () => {
    await expect(read('{"sku":"a"}', { gzip: true })).rejects.toMatchObject({ code: 'FILE_NOT_GZIP' });
  });

  test('data that stops short is refused', async () => {
    const file = gzipSync('{"sku":"a"}\n'.repeat(1000));
    await expect(read(file.subarray(0, -20), { gzip: true })).rejects.toMatchObject({
      code: 'FILE_TRUNCATED',
    });
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
