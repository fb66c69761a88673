import { describe, expect, test } from 'vitest';
import { deep, numbers, products, readFile, readToFault, tooLong } from './read-file.ts';

describe('a JSON catalog', () => {
  const json = (file: string, pieceBytes?: number) => readFile(file, { format: 'json' }, pieceBytes);

  test('as an array yields its elements, in whatever pieces it arrives', async () => {
    const elements = [{ name: 'a, "b" ] }' }, { variants: { items: [{ x: [1, 2] }] } }, { name: '\\"[' }, {}];
    for (const pieceBytes of [1, 5, 1000]) {
      expect(products(await json(JSON.stringify(elements, null, 2), pieceBytes))).toEqual(elements);
    }
  });

  test('as an object yields the elements of its products, whatever precedes them', async () => {
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

  test('may have the value "products" before the member of that name', async () => {
    expect(products(await json('{"type":"products","list":[1],"products":[{"sku":"a"}]}'))).toEqual([
      { sku: 'a' },
    ]);
  });

  test('reports one invalid element and reads on', async () => {
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

  test('reports one element that is too long and reads on', async () => {
    expect(products(await json(`[{"name":"${tooLong}"},{"sku":"b"}]`, 50_000))).toEqual([
      'ROW_TOO_LARGE',
      { sku: 'b' },
    ]);
  });

  test('reports one element that nests 5,000 deep and reads on', async () => {
    const rows = await json(`[{"sku":"a"},{"name":${deep}},{"sku":"b"}]`);
    expect(products(rows)).toEqual([{ sku: 'a' }, 'ROW_NOT_JSON', { sku: 'b' }]);
  });

  test('reports elements of many times the longest row once each', async () => {
    const file = `{"x":"${tooLong.repeat(2)}","products":[{"name":"${tooLong.repeat(3)}"},{"sku":"b"},${deep.repeat(40)}]}`;
    for (const pieceBytes of [4_099, 10_000_000]) {
      const rows = await json(file, pieceBytes);
      expect(products(rows)).toEqual(['ROW_TOO_LARGE', { sku: 'b' }, 'ROW_TOO_LARGE']);
      expect(numbers(rows)).toEqual([1, 2, 3]);
    }
  });

  test('yields the elements of a member that is given twice', async () => {
    const file = '{"products":[{"sku":"a"}],"z":["products"],"products":[{"sku":"b"}]}\n';
    expect(products(await json(file, 1))).toEqual([{ sku: 'a' }, { sku: 'b' }]);
  });

  test.each([
    ['a further array', '[{"sku":"a"}]\n[{"sku":"b"}]'],
    ['a further object', '{"products":[{"sku":"a"}]}{"products":[{"sku":"b"}]}'],
    ['further elements after a stray bracket', '[{"sku":"a"}],{"sku":"b"}]'],
    ['further elements after a stray bracket in an object', '{"products":[{"sku":"a"}],{"sku":"b"}]}'],
  ])('that goes on with %s is refused after its rows, in whatever pieces it arrives', async (_, file) => {
    for (const pieceBytes of [1, 1_000]) {
      const { rows, fault } = await readToFault(file, { format: 'json' }, pieceBytes);
      expect(products(rows)).toEqual([{ sku: 'a' }]);
      expect(fault).toMatchObject({ code: 'FILE_NOT_JSON' });
    }
  });

  test.each([
    ['{"version":7,"items":[{"sku":"a"}]}', 'version'],
    ['{"note":[{"version":1}],"occurredAt":"2026-01-01T00:00:00Z","items":[{"sku":"a"}]}', 'occurredAt'],
    ['{"items":[{"sku":"a"}],"tags":[],"storeClientId":"s-2"}', 'storeClientId'],
    ['{"occured_at":"2026-01-01T00:00:00Z","items":[{"sku":"a"}]}', 'occured_at'],
    ['{"items":[{"sku":"a"}],"Version":7}', 'Version'],
  ])('%s is refused, as %s beside its rows would be ignored', async (file, name) => {
    for (const pieceBytes of [1, 1_000]) {
      const { fault } = await readToFault(file, { kind: 'stock', format: 'json' }, pieceBytes);
      expect(fault).toMatchObject({
        code: 'FILE_NOT_JSON',
        message: expect.stringContaining(`"${name}" beside "items"`),
      });
    }
  });

  test('may have a version of its own format beside its products, and any names in its rows', async () => {
    expect(
      products(await json('{"version":1,"meta":{"storeClientId":"s"},"products":[{"commandId":"c"}]}')),
    ).toEqual([{ commandId: 'c' }]);
  });

  test('as an empty array has no rows', async () => {
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
    ['{"products":[{"sku":"a"}]', 'FILE_TRUNCATED'],
    ['{"products":[{"sku":"a"}],"products":7}', 'FILE_NOT_JSON'],
  ])('is refused when it is %j: %s', async (file, code) => {
    await expect(json(file)).rejects.toMatchObject({ name: 'FileFault', code });
  });
});
