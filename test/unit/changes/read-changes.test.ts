import { describe, expect, test } from 'vitest';
import { readChangeMessage, readVersion } from '../../../shared/changes/rules/read-changes.ts';
import { type ItemReading, readPriceItem, readStockItem } from '../../../shared/changes/rules/read-items.ts';
import { MAX_AHEAD_MS } from '../../../shared/time/too-far-ahead.ts';

const NOW = Date.UTC(2026, 0, 1);
const ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';

const reasonOf = (reading: ItemReading) => (reading.ok ? undefined : reading.fault());

describe('readStockItem', () => {
  test.each([
    ['global stock', { sku: 'A', stock: 5 }, 'sku:A', { stock: 5 }],
    ['an id', { id: ID, stock: 5 }, `id:${ID}`, { stock: 5 }],
    ['an externalId', { externalId: ID, stock: 5 }, `externalId:${ID}`, { stock: 5 }],
    [
      'one stock for listed warehouses',
      { sku: 'A', stock: 5, warehouses: ['wh-1', 'wh-2'] },
      'sku:A',
      { 'stock:wh-1': 5, 'stock:wh-2': 5 },
    ],
    [
      'a stock per warehouse',
      { sku: 'A', warehouses: [{ clientId: 'wh-1', stock: 0 }] },
      'sku:A',
      { 'stock:wh-1': 0 },
    ],
  ])('reads %s', (_, item, target, values) => {
    expect(readStockItem(item)).toEqual({ ok: true, target, values });
  });

  test.each([
    ['no target', { stock: 5 }],
    ['two targets', { sku: 'A', id: ID, stock: 5 }],
    ['a fraction', { sku: 'A', stock: 1.5 }],
    ['no stock', { sku: 'A' }],
    ['a sku that is too long for a key', { sku: 'ü'.repeat(511), stock: 5 }],
    ['a sku that is not well-formed text', { sku: 'A\ud800', stock: 5 }],
    ['a clientId that is too long', { sku: 'A', stock: 5, warehouses: ['w'.repeat(101)] }],
    ['text in place of an object', 'A'],
  ])('refuses %s with a reason', (_, item) => {
    expect(reasonOf(readStockItem(item))).toMatchObject({ code: 'ROW_INVALID', message: expect.any(String) });
  });
});

test.each([
  [
    'a field that there is not',
    { sku: 'A', stok: 5 },
    'unknown "stok"; allowed: sku, id, externalId, stock, warehouses',
  ],
  [
    'a warehouse of another form',
    { sku: 'A', warehouses: [7] },
    'warehouses.0: must be a clientId or {clientId, stock}',
  ],
  [
    'a stock of a warehouse that is a text',
    { sku: 'A', warehouses: [{ clientId: 'w', stock: '5' }] },
    'warehouses.0.stock: must be a number',
  ],
  ['a field in other letters', { SKU: 'A', stock: 5 }, 'SKU: must be written sku'],
  ['a SKU of white space', { sku: '  ', stock: 5 }, 'sku: must not be white space alone'],
  [
    'a warehouse of white space',
    { sku: 'A', stock: 5, warehouses: [' '] },
    'warehouses: a clientId must not be white space alone',
  ],
])('the refusal of a stock item with %s says what must be given', (_, item, message) => {
  expect(reasonOf(readStockItem(item))).toMatchObject({ code: 'ROW_INVALID', message });
});

test('a target may be as long as the longest key', () => {
  const sku = 'ü'.repeat(510);
  expect(readStockItem({ sku, stock: 5 })).toMatchObject({ ok: true, target: `sku:${sku}` });
  expect(reasonOf(readStockItem({ sku: `${sku}!`, stock: 5 }))).toEqual({
    code: 'ROW_INVALID',
    field: 'sku',
    message: 'sku: must be well-formed text of at most 1020 bytes in UTF-8',
  });
});

describe('readPriceItem', () => {
  test.each([
    ['absent', {}, {}],
    ['null to clear it', { specialPrice: null }, { specialPrice: null }],
    ['set', { specialPrice: 8 }, { specialPrice: 8 }],
  ])('reads a special price that is %s', (_, special, values) => {
    expect(readPriceItem({ sku: 'A', price: 10, ...special })).toEqual({
      ok: true,
      target: 'sku:A',
      values: { price: 10, ...values },
    });
  });

  test.each([
    ['sku', 'A'],
    ['id', ID],
    ['externalId', ID],
  ])('reads a price by %s', (name, value) => {
    expect(readPriceItem({ [name]: value, price: 10 })).toMatchObject({ target: `${name}:${value}` });
  });

  test('refuses a price with two identifiers', () => {
    expect(readPriceItem({ sku: 'A', externalId: ID, price: 10 })).toMatchObject({ ok: false });
  });

  test('refuses a special price without a price', () => {
    expect(reasonOf(readPriceItem({ sku: 'A', specialPrice: 8 }))).toMatchObject({ field: 'price' });
  });

  test('reads a special price with a shown price as base, which any other price replaces', () => {
    expect(readPriceItem({ sku: 'A', specialPrice: 8, shownPrice: 10 }, true)).toEqual({
      ok: true,
      target: 'sku:A',
      values: { specialPrice: 8 },
      base: { price: 10 },
    });
    expect(reasonOf(readPriceItem({ sku: 'A', shownPrice: 10 }, true))).toMatchObject({
      field: 'specialPrice',
    });
  });

  test('refuses a shown price that no command has sent', () => {
    expect(reasonOf(readPriceItem({ sku: 'A', specialPrice: 8, shownPrice: 10 }))).toMatchObject({
      field: 'price',
    });
  });
});

test('the smaller of two values for one warehouse in one row counts', () => {
  const warehouses = [0, 5].map((stock) => ({ clientId: 'wh-1', stock }));
  for (const given of [warehouses, warehouses.toReversed()]) {
    expect(readStockItem({ sku: 'A', warehouses: given })).toMatchObject({ values: { 'stock:wh-1': 0 } });
  }
});

describe('readVersion', () => {
  test.each([
    ['the version', { version: 7 }, { kind: 'integer', value: 7 }],
    [
      'an ISO time',
      { occurredAt: '2026-01-01T00:00:00+07:00' },
      { kind: 'time', value: NOW - 7 * 3_600_000 },
    ],
    ['epoch milliseconds', { occurredAt: NOW }, { kind: 'time', value: NOW }],
    ["the event's own time", {}, { kind: 'time', value: NOW - 5 }],
  ])('reads %s', (_, detail, expected) => {
    expect(readVersion(detail, NOW - 5, NOW)).toEqual(expected);
  });

  test('accepts a time up to five minutes ahead and refuses a later one', () => {
    expect(readVersion({ occurredAt: NOW + MAX_AHEAD_MS }, NOW, NOW)).toMatchObject({ kind: 'time' });
    expect(readVersion({ occurredAt: NOW + MAX_AHEAD_MS + 1 }, NOW, NOW)).toMatchObject({
      fault: { code: 'VERSION_FUTURE' },
    });
  });

  test('refuses both kinds of version at once', () => {
    expect(readVersion({ occurredAt: NOW, version: 1 }, NOW, NOW)).toMatchObject({
      fault: { code: 'VERSION_KIND' },
    });
  });
});

test('the rejection of a time ahead that the event itself has names that time', () => {
  const event = { 'detail-type': 'stock.changed', time: '9999-12-31T23:59:59Z' };
  const body = JSON.stringify({ ...event, detail: { storeClientId: 's', items: [{ sku: 'A', stock: 1 }] } });
  const { rejections } = readChangeMessage({ messageId: 'm', sentAt: NOW, body });
  expect(rejections).toMatchObject([
    { code: 'VERSION_FUTURE', field: 'time', message: expect.stringMatching(/^time 9999/) },
  ]);
});

describe('the rejection of an invalid row', () => {
  const read = (items: unknown[], detailType = 'stock.changed') => {
    const body = JSON.stringify({ 'detail-type': detailType, detail: { storeClientId: 's', items } });
    return readChangeMessage({ messageId: 'm', sentAt: NOW, body }).rejections;
  };

  test.each([
    ['stock by SKU', 'stock.changed', { sku: 'A', stock: 1.5 }, { sku: 'A', target: 'sku:A' }],
    ['a price by ID', 'price.changed', { id: ID, price: 'x' }, { id: ID, target: `id:${ID}` }],
    ['two names', 'stock.changed', { sku: 'A', externalId: ID, stock: 1 }, { sku: 'A', externalId: ID }],
  ])('names its product: %s', (_, detailType, item, names) => {
    expect(read([item], detailType)).toMatchObject([{ code: 'ROW_INVALID', rowIndex: 0, ...names }]);
  });

  test('lists all its problems, that of its names first', () => {
    const [rejection] = read([{ stock: 1.5, warehouses: [7] }]);
    expect(rejection?.details?.problems).toMatchObject([
      { field: 'sku', rule: 'EXACTLY_ONE_IDENTIFIER' },
      { field: 'stock', rule: 'INVALID_TYPE' },
      { field: 'warehouses.0' },
    ]);
  });

  test('of a large event names the products of all its rows', () => {
    const items = Array.from({ length: 1_001 }, (_, index) => ({ sku: `A-${index}`, stock: 1.5 }));
    const rejections = read(items);
    expect(rejections).toHaveLength(11);
    const named = rejections.flatMap(({ sku, rowIndex, subjects }) => subjects ?? [{ sku, rowIndex }]);
    expect(named).toEqual(items.map(({ sku }, rowIndex) => ({ sku, rowIndex })));
  });
});

test.each([
  [
    20_261_121_080_000,
    '20261121080000 looks like a time as yyyymmddhhmmss: as milliseconds, occurredAt 2612-',
  ],
  [1_763_712_000_000_000, '1763712000000000 looks like microseconds: as milliseconds, occurredAt +057859-'],
])('a time ahead that is of another unit is refused with that: %d', (occurredAt, message) => {
  const at = Date.UTC(2026, 10, 27);
  expect(readVersion({ occurredAt }, at, at)).toMatchObject({
    fault: { code: 'VERSION_FUTURE', message: expect.stringContaining(message) },
  });
});
