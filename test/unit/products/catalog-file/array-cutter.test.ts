import { describe, expect, test } from 'vitest';
import { deep, numbers, products, readFile, tooLong } from './read-file.ts';

describe('json', () => {
  const json = (file: string, pieceBytes?: number) => readFile(file, { format: 'json' }, pieceBytes);

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
    expect(products(await json(`[{"name":"${tooLong}"},{"sku":"b"}]`, 50_000))).toEqual([
      'ROW_TOO_LARGE',
      { sku: 'b' },
    ]);
  });

  test('an element that nests 5,000 deep is at fault by itself', async () => {
    const rows = await json(`[{"sku":"a"},{"name":${deep}},{"sku":"b"}]`);
    expect(products(rows)).toEqual([{ sku: 'a' }, 'ROW_NOT_JSON', { sku: 'b' }]);
  });

  test('elements of many times the longest row are one fault each', async () => {
    const file = `{"x":"${tooLong.repeat(2)}","products":[{"name":"${tooLong.repeat(3)}"},{"sku":"b"},${deep.repeat(40)}]}`;
    for (const pieceBytes of [4_099, 10_000_000]) {
      const rows = await json(file, pieceBytes);
      expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }, 'ROW_TOO_LARGE']);
      expect(numbers(rows)).toEqual([1, 2, 3]);
    }
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
