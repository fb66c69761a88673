import { expect, test } from 'vitest';
import { createListingChangeQueue } from '../../../shared/aws/event-queues.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

const NOW = Date.UTC(2026, 0, 1);
const LOWER = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const UPPER = LOWER.toUpperCase();
const MIXED = LOWER.replace('7f9c', '7F9c');

/** Intake and lane of a store that names its products by their external IDs. */
async function world() {
  const { ports, push, sent, connect } = laneWorld();
  await connect('token', 'externalId');
  const take = (bodies: readonly string[]) =>
    takeChanges(
      ports,
      bodies.map((body, index) => ({ messageId: `m-${index}`, sentAt: NOW, body })),
    );
  const change = (externalId: string, version: number) =>
    take([
      JSON.stringify({
        id: `e-${version}`,
        'detail-type': 'stock.changed',
        detail: { storeClientId: STORE, version, items: [{ externalId, stock: version }] },
      }),
    ]);
  const create = (externalId: string) =>
    createListingChangeQueue({ send: async (bodies) => void (await take(bodies)) }).sendCreated({
      storeClientId: STORE,
      products: [{ externalId }],
      knownAt: ports.clock.now() - 60_000,
    });
  /** The external IDs of the rows of stock that are sent now. */
  const pushed = async () => {
    sent.length = 0;
    await push();
    return sent.flatMap(({ items }) => items.map((item) => (item as { externalId?: string }).externalId));
  };
  return { change, create, pushed, listings: ports.listings };
}

test('rows of stock are sent with the external ID as it was given last, which is one product in either case', async () => {
  const { change, pushed, listings } = await world();
  await change(UPPER, 1);
  await change(MIXED, 2);
  expect(await pushed()).toEqual([MIXED]);
  await change(LOWER, 3);
  expect(await pushed()).toEqual([LOWER]);
  expect(await listings.targets(STORE)).toEqual([`externalId:${LOWER}`]);
});

test.each([
  ['before', async (one: Awaited<ReturnType<typeof world>>) => void (await one.create(UPPER))],
  ['after', async () => {}],
])(
  'rows of stock are sent with the external ID as their product was created, %s they came',
  async (when, before) => {
    const one = await world();
    await before(one);
    await one.change(LOWER, 1);
    if (when === 'after') await one.create(UPPER);
    expect(await one.pushed()).toEqual([UPPER]);
  },
);

test('a product that was created with its external ID in lower case is named so, however its stock names it', async () => {
  const { change, create, pushed } = await world();
  await change(UPPER, 1);
  await create(LOWER);
  await change(UPPER, 2);
  expect(await pushed()).toEqual([LOWER]);
});
