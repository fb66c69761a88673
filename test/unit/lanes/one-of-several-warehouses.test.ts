import { describe, expect, test } from 'vitest';
import type { RowError } from '../../../shared/marketplace/batch.ts';
import { failure } from '../support/failure.ts';
import { laneWorld, type Reply, STORE } from './lane-world.ts';

/** A store without the warehouse `wh-9`: a row with it is rejected as a whole. */
const withoutNine =
  (code: string): Reply =>
  ({ items }) => ({
    errors: items.flatMap((item, rowIndex): RowError[] =>
      JSON.stringify(item).includes('wh-9') ? [{ code, message: code, rowIndex }] : [],
    ),
  });

const stockOf = (clientId: string, stock: number) => ({ sku: 'A', warehouses: [{ clientId, stock }] });

/** Two events, each for one warehouse, that leave in one row. */
async function worldOf(reply: Reply, [one, nine] = [7, 5]) {
  const world = laneWorld({ reply });
  await world.connect();
  await world.change('stock.changed', 1, [stockOf('wh-1', one)]);
  await world.change('stock.changed', 2, [stockOf('wh-9', nine)]);
  return world;
}

const sentRows = ({ sent }: { sent: readonly { items: readonly object[] }[] }) =>
  sent.map(({ items }) => items);

describe('a row with several warehouses that is rejected', () => {
  test.each([
    ['raises', [7, 5]],
    ['zeros', [0, 0]],
  ])(
    'is sent again with one value at a time, so that only the value at fault is rejected: %s',
    async (_, values) => {
      const world = await worldOf(withoutNine('VAL_001'), values as [number, number]);
      const [one = 0, nine = 0] = values;
      expect(await world.push()).toMatchObject({ ended: 'drained', rejections: { VAL_001: 2 } });
      const [, ...alone] = sentRows(world);
      expect(alone).toEqual([[stockOf('wh-1', one)], [stockOf('wh-9', nine)]]);
      const listing = await world.ports.listings.get(STORE, 'sku:A');
      expect(listing).toMatchObject({
        settled: { 'stock:wh-1': { outcome: 'accepted' }, 'stock:wh-9': { outcome: 'rejected' } },
      });
      expect(listing).not.toHaveProperty('oneAtATime');
    },
  );

  test('is sent again with one value at a time when its whole request was refused', async () => {
    const world = await worldOf(({ items }) => {
      if (JSON.stringify(items).includes('wh-9')) throw failure('VAL_001');
      return {};
    });
    await world.push();
    expect(await world.ports.listings.get(STORE, 'sku:A')).toMatchObject({
      settled: { 'stock:wh-1': { outcome: 'accepted' }, 'stock:wh-9': { outcome: 'rejected' } },
    });
    // Only the rejection of the value at fault is reported.
    expect(world.rejections).toHaveLength(1);
  });

  test('has no zero wait for the back-off of another of its zeros', async () => {
    const refuse = (code: string, retryable: boolean) => ({
      errors: [{ code, message: code, rowIndex: 0, details: { retryable } }],
    });
    const reply: Reply = ({ items }) => {
      const [one, nine] = ['wh-1', 'wh-9'].map((clientId) => JSON.stringify(items).includes(clientId));
      if (one && nine) return refuse('VAL_001', false);
      return one ? refuse('ROW_BUSY', true) : {};
    };
    const world = await worldOf(reply, [0, 0]);
    await world.push();
    const [, ...alone] = sentRows(world);
    expect(alone).toEqual([[stockOf('wh-1', 0)], [stockOf('wh-9', 0)]]);
    expect(await world.ports.listings.get(STORE, 'sku:A')).toMatchObject({
      settled: { 'stock:wh-9': { outcome: 'accepted' } },
      waitingSince: expect.any(Number),
    });
  });

  test('is not sent again if its product does not exist', async () => {
    const world = await worldOf(withoutNine('INV_001'));
    expect(await world.push()).toMatchObject({ ended: 'drained', requests: 1, rejections: { INV_001: 1 } });
  });

  test('leaves in one row again with the next values', async () => {
    const world = await worldOf(withoutNine('VAL_001'));
    await world.push();
    world.sent.length = 0;
    const both = [1, 2].map((number) => ({ clientId: `wh-${number}`, stock: number }));
    await world.change('stock.changed', 3, [{ sku: 'A', warehouses: both }]);
    await world.push();
    expect(sentRows(world)).toEqual([[{ sku: 'A', warehouses: both }]]);
  });
});
