import { describe, expect, test } from 'vitest';
import { simpleProduct, variantProduct } from '../../../../local/run/catalog.ts';
import { checkRow, namedTarget } from '../../../../shared/imports/rules/check-row.ts';
import { fileKinds, valueOfCells } from '../../../../shared/imports/rules/file-kinds.ts';

const PUT_AT = Date.UTC(2026, 10, 22, 8);
const names = { products: 'sku', orders: 'orderId' } as const;
const stock = { kind: 'stock', names, time: PUT_AT } as const;
const prices = { ...stock, kind: 'prices' } as const;
const uuid = '10000000-0000-4000-8000-000000000001';

describe('a row of stock', () => {
  test.each([
    ['no version: when the file was put', {}, { kind: 'time', value: PUT_AT }],
    [
      'a time in ISO 8601',
      { occurredAt: '2026-11-22T07:00:00.250Z' },
      { kind: 'time', value: PUT_AT - 3_599_750 },
    ],
    ['a time in epoch milliseconds', { occurredAt: PUT_AT - 5 }, { kind: 'time', value: PUT_AT - 5 }],
    ['an integer version', { version: 7 }, { kind: 'integer', value: 7 }],
  ])('has its version beside the item: %s', (_, given, version) => {
    const item = { sku: 'A', stock: 5 };
    expect(checkRow({ ...item, ...given }, stock)).toMatchObject({ row: item, version });
  });

  test('is in a group with the rows of its version alone', () => {
    const groups = [{}, { occurredAt: PUT_AT }, { occurredAt: PUT_AT - 5 }, { version: 5 }].map((version) =>
      checkRow({ sku: 'A', stock: 1, ...version }, stock),
    );
    const [none, same, other, integer] = groups.map((row) => 'group' in row && row.group);
    expect(same).toBe(none);
    expect(new Set([none, other, integer]).size).toBe(3);
  });

  test.each([
    [{ sku: 'A' }, 'ROW_INVALID', 'stock'],
    [{ sku: 'A', stock: 1.5 }, 'ROW_INVALID', 'stock'],
    [{ sku: 'A', stock: 1, colour: 'red' }, 'ROW_INVALID', ''],
    [{ stock: 1 }, 'ROW_INVALID', 'sku'],
    [{ sku: 'A', stock: 1, occurredAt: 'yesterday' }, 'ROW_INVALID', 'occurredAt'],
    // Its time in UTC is in the year -1, which the message with the row could not have.
    [{ sku: 'A', stock: 1, occurredAt: '0000-01-01T00:00:00+05:00' }, 'ROW_INVALID', 'occurredAt'],
    [{ sku: 'A', stock: 1, version: 1.5 }, 'ROW_INVALID', 'version'],
    [{ sku: 'A', stock: 1, version: 1, occurredAt: PUT_AT }, 'VERSION_KIND', 'version'],
    [{ sku: 'A', stock: 1, occurredAt: PUT_AT + 300_001 }, 'VERSION_FUTURE', 'occurredAt'],
    [{ id: uuid, stock: 1 }, 'NAME_KIND', 'id'],
    [{ sku: 'A', stock: 1, occured_at: PUT_AT }, 'ROW_INVALID', 'occured_at'],
    [{ sku: 'A', Stock: 1 }, 'ROW_INVALID', 'Stock'],
  ])('is refused: %j is %s at %j', (row, code, field) => {
    expect(checkRow(row, stock)).toMatchObject({ fault: { code, field } });
  });
});

test('a negative stock of a file is rejected, unless its store takes it as zero', () => {
  const row = { sku: 'A', warehouses: [{ clientId: 'wh-1', stock: -2 }] };
  expect(checkRow(row, { ...stock, negativeStock: 'zero' })).toMatchObject({ row });
  expect(checkRow(row, stock)).toMatchObject({
    fault: {
      code: 'ROW_INVALID',
      field: 'stock',
      message: expect.stringContaining('-2 is negative in wh-1, or behind a dash'),
    },
  });
});

test.each(['-5', '5-', '5 -', '(5)', '\u22125'])(
  'a stock below 0 is the same in each form in which systems write it: %s',
  (text) => {
    const cells = ['A', text].map((one) => ({ text: one, isQuoted: false }));
    expect(valueOfCells(fileKinds.stock, ['sku', 'stock'], cells)).toEqual({
      value: { sku: 'A', stock: -5 },
    });
    const listed = { text: `wh-1:${text}`, isQuoted: false };
    expect(valueOfCells(fileKinds.stock, ['warehouses'], [listed]).value).toEqual({
      warehouses: [{ clientId: 'wh-1', stock: -5 }],
    });
  },
);

test.each(['5-6', '-5-', '(-5)', '()', '-', '(5', '5.5-', '--5'])('a stock of %s is no number', (text) => {
  const cells = ['A', text].map((one) => ({ text: one, isQuoted: false }));
  expect(valueOfCells(fileKinds.stock, ['sku', 'stock'], cells).fault).toMatchObject({
    code: 'CELL_INVALID',
  });
});

test('a row of prices goes by SKU in a store that names its products by externalId', () => {
  const context = { ...prices, names: { ...names, products: 'externalId' } } as const;
  expect(checkRow({ sku: 'A', price: 5, specialPrice: null }, context)).toMatchObject({
    row: { sku: 'A', price: 5, specialPrice: null },
  });
  expect(checkRow({ externalId: uuid, price: 5 }, context)).toMatchObject({ fault: { code: 'NAME_KIND' } });
});

test('a product of a catalog has no version, and is in the group of its shape', () => {
  const context = { ...stock, kind: 'catalog' } as const;
  expect(checkRow(simpleProduct(1), context)).toEqual({ row: simpleProduct(1), group: 'simple' });
  expect(checkRow(variantProduct(1), context)).toMatchObject({ group: 'variants' });
});

test.each([
  [{ sku: 'A', stock: 1.5 }, 'sku:A'],
  [{ sku: '', stock: 1 }, undefined],
  [{ sku: 5 }, undefined],
  [{ id: uuid }, undefined],
  [undefined, undefined],
])('the row %j names %s', (row, target) => {
  expect(namedTarget(row, names)).toBe(target);
});

test('a SKU of a variant that a program has made of a number is refused', () => {
  const { variants, ...product } = variantProduct(2);
  const [first, ...others] = variants.items;
  const row = { ...product, variants: { ...variants, items: [{ ...first, sku: '8.99E+12' }, ...others] } };
  expect(checkRow(row, { ...stock, kind: 'catalog' })).toMatchObject({
    fault: {
      code: 'ROW_INVALID',
      field: 'variants.items.0.sku',
      details: { problems: [{ rule: 'PROGRAM_TEXT' }] },
    },
  });
});
