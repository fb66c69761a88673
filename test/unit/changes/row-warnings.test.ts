import { expect, test } from 'vitest';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

const NOW = Date.UTC(2026, 0, 1);
const message = (id: string, items: readonly object[], detail: object = {}) => ({
  messageId: id,
  sentAt: NOW,
  body: JSON.stringify({
    id,
    'detail-type': 'stock.changed',
    detail: { storeClientId: STORE, version: 1, items, ...detail },
  }),
});

test('rows of an event whose SKU has white space or unseen characters are taken under this SKU, with one warning for the event', async () => {
  const world = laneWorld();
  await world.connect();
  const items = [
    { sku: 'W-1', stock: 1 },
    { sku: 'W-1 ', stock: 2 },
    { sku: 'W\u200b-1', stock: 3 },
    { sku: ' W-1', stock: 'x' },
  ];
  const taken = await takeChanges(world.ports, [
    message('e-1', items),
    message('e-2', [{ sku: 'W-2', stock: 1 }]),
  ]);
  expect(taken.warnings).toEqual([
    {
      storeClientId: STORE,
      eventId: 'e-1',
      detailType: 'stock.changed',
      code: 'SKU_WHITE_SPACE',
      message: expect.stringContaining('"W-1 "'),
      rows: 2,
      numbers: [1, 2],
    },
  ]);
  const stocks = await Promise.all(
    ['W-1', 'W-1 '].map(
      async (sku) => (await world.ports.listings.get(STORE, `sku:${sku}`))?.desired.stock?.value,
    ),
  );
  expect(stocks).toEqual([1, 2]);
});

test('rows of a file have their warning in its import, and none of their event', async () => {
  const world = laneWorld();
  await world.connect();
  const file = { importId: 'i-1', message: 0, origin: 'stock/a.csv', lines: [1] };
  const taken = await takeChanges(world.ports, [message('e-1', [{ sku: 'W-1 ', stock: 2 }], { file })]);
  expect(taken).toMatchObject({ accepted: 1, warnings: [] });
});

test('rows of a message that is redelivered are warned about once they are taken', async () => {
  const world = laneWorld();
  await world.connect();
  const { update } = world.ports.listings;
  world.ports.listings.update = async () => {
    throw new Error('throttled');
  };
  const bodies = [message('e-1', [{ sku: 'W-1 ', stock: 2 }])];
  expect(await takeChanges(world.ports, bodies)).toMatchObject({ failedMessageIds: ['e-1'], warnings: [] });
  world.ports.listings.update = update;
  expect((await takeChanges(world.ports, bodies)).warnings).toHaveLength(1);
});
