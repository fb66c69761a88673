import { describe, expect, test } from 'vitest';
import { readStockItem } from '../../../shared/changes/rules/read-items.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { viewOfListing } from '../../../shared/listings/rules/listing-view.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

const message = (version: number, items: readonly object[]) => ({
  messageId: `m${version}`,
  sentAt: Date.UTC(2026, 0, 1),
  body: JSON.stringify({
    id: `m${version}`,
    'detail-type': 'stock.changed',
    detail: { storeClientId: STORE, version, items },
  }),
});

test('a negative stock is read as 0, with what was given, in each form of an item', () => {
  expect(readStockItem({ sku: 'A', stock: -3 })).toMatchObject({
    values: { stock: 0 },
    negative: { stock: -3 },
  });
  expect(readStockItem({ sku: 'A', stock: -3, warehouses: ['wh-1'] })).toMatchObject({
    values: { 'stock:wh-1': 0 },
    negative: { 'stock:wh-1': -3 },
  });
  const warehouses = [
    { clientId: 'wh-1', stock: -1 },
    { clientId: 'wh-2', stock: 4 },
  ];
  const read = readStockItem({ sku: 'A', warehouses });
  expect(read).toMatchObject({
    values: { 'stock:wh-1': 0, 'stock:wh-2': 4 },
    negative: { 'stock:wh-1': -1 },
  });
  expect(readStockItem({ sku: 'A', stock: 0 })).not.toHaveProperty('negative');
});

describe('a negative stock', () => {
  test('sells nothing: it is stock 0, counted, and on the listing until a newer value', async () => {
    const world = laneWorld();
    await world.connect();
    await takeChanges(world.ports, [message(1, [{ sku: 'A', stock: 5 }])]);
    const taken = await takeChanges(world.ports, [
      message(2, [
        { sku: 'A', stock: -3 },
        { sku: 'B', stock: 2 },
      ]),
    ]);
    expect(taken).toMatchObject({ accepted: 2, negativeStockTaken: 1, rejections: {} });
    const listing = await world.ports.listings.get(STORE, 'sku:A');
    expect(listing).toMatchObject({ desired: { stock: { value: 0, version: 2, given: -3 } } });
    if (listing === undefined) return expect.unreachable();
    expect(viewOfListing(listing).registers.stock?.desired).toMatchObject({ value: 0, given: -3 });

    await takeChanges(world.ports, [message(3, [{ sku: 'A', stock: 0 }])]);
    const after = await world.ports.listings.get(STORE, 'sku:A');
    expect(after?.desired.stock).not.toHaveProperty('given');
  });

  test('is rejected, and the stock before it stays, in a store that says so', async () => {
    const world = laneWorld();
    await world.connect();
    await world.ports.stores.setSettings(STORE, { negativeStock: 'reject' });
    await takeChanges(world.ports, [message(1, [{ sku: 'A', stock: 5 }])]);
    const taken = await takeChanges(world.ports, [message(2, [{ sku: 'A', stock: -3 }])]);
    expect(taken).toMatchObject({ accepted: 0, negativeStockTaken: 0, rejections: { ROW_INVALID: 1 } });
    expect(world.rejections).toMatchObject([
      {
        code: 'ROW_INVALID',
        sku: 'A',
        field: 'detail.items.0.stock',
        message: expect.stringContaining('-3'),
      },
    ]);
    expect(await world.ports.listings.get(STORE, 'sku:A')).toMatchObject({
      desired: { stock: { value: 5 } },
    });
  });
});
