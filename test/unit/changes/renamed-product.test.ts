import { describe, expect, test } from 'vitest';
import { createListingChangeQueue } from '../../../shared/aws/event-queues.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = (seconds: number) => NOW - 60_000 + seconds * 1_000;

/** Intake and lane of a store whose products are renamed. */
async function renamingWorld() {
  const world = laneWorld();
  await world.connect();
  const { listings } = world.ports;
  const take = async (bodies: readonly string[]) =>
    takeChanges(
      world.ports,
      bodies.map((body, index) => ({ messageId: `m-${index}`, sentAt: NOW, body })),
    );
  const change = (sku: string, stock: number, when: object) =>
    take([
      JSON.stringify({
        id: `${sku} ${stock}`,
        'detail-type': 'stock.changed',
        detail: { storeClientId: STORE, ...when, items: [{ sku, stock }] },
      }),
    ]);
  const rename = (from: string, to: string, seconds: number, version?: number) => {
    const queue = createListingChangeQueue({ send: async (bodies) => void (await take(bodies)) });
    const command = { storeClientId: STORE, commandId: `rename ${from} ${to}`, time: at(seconds) };
    return queue.sendRenamed({ ...command, from, to, ...(version !== undefined && { version }) });
  };
  const stockOf = async (sku: string) => (await listings.get(STORE, `sku:${sku}`))?.desired.stock?.value;
  const isWaiting = async (sku: string) =>
    (await listings.get(STORE, `sku:${sku}`))?.waitingSince !== undefined;
  const codes = () => world.rejections.map(({ code, target }) => `${target} ${code}`);
  return { ...world, take, change, rename, stockOf, isWaiting, codes };
}

describe('the listing of the old name of a renamed product', () => {
  test('ends: a product that is created under the old name does not get its stock', async () => {
    const { change, rename, stockOf, push, sent, ports } = await renamingWorld();
    await change('A', 7, { occurredAt: at(1) });
    await push();
    await rename('A', 'B', 2);
    sent.length = 0;
    const createdAt = ports.clock.now();
    await createListingChangeQueue({
      send: async (bodies) => {
        await takeChanges(
          ports,
          bodies.map((body) => ({ messageId: 'created', sentAt: NOW, body })),
        );
      },
    }).sendCreated({ storeClientId: STORE, products: [{ sku: 'A' }, { sku: 'B' }], knownAt: createdAt });
    await push();
    expect(await stockOf('A')).toBeUndefined();
    const rows = sent.flatMap(({ items }) => items.map((item) => JSON.stringify(item)));
    expect(new Set(rows)).toEqual(new Set([JSON.stringify({ sku: 'B', stock: 7 })]));
  });

  test.each([
    [
      'stays ended when the summary of the creation of the renamed product comes after the rename',
      1,
      undefined,
    ],
    ['begins anew with a creation that was sent after the rename', 3, NOW],
  ])('%s', async (_, sentAt, createdAt) => {
    const { rename, take, ports } = await renamingWorld();
    await rename('A', 'B', 2);
    await createListingChangeQueue({ send: async (bodies) => void (await take(bodies)) }).sendCreated({
      storeClientId: STORE,
      products: [{ sku: 'A' }],
      knownAt: NOW,
      sentAt: at(sentAt),
    });
    expect((await ports.listings.get(STORE, 'sku:A'))?.createdAt).toBe(createdAt);
  });

  test('without any value ends with the integer version of the rename: an earlier value is not of the next product', async () => {
    const { change, rename, stockOf, codes } = await renamingWorld();
    await change('A', 7, { version: 1 });
    await rename('A', 'B', 2, 2);
    await rename('A', 'C', 5, 5);
    await change('A', 3, { version: 4 });
    expect(await stockOf('A')).toBeUndefined();
    expect(codes()).toEqual(['sku:A TARGET_RENAMED']);
    await change('A', 6, { version: 6 });
    expect(await stockOf('A')).toBe(6);
  });

  test('gives the new name also the negative stock that a zero was given as', async () => {
    const { change, rename, ports } = await renamingWorld();
    await change('A', -3, { occurredAt: at(1) });
    await rename('A', 'B', 2);
    const moved = await ports.listings.get(STORE, 'sku:B');
    expect(moved?.desired.stock).toMatchObject({ value: 0, given: -3 });
  });

  test('gives what still waited to the new name, and nothing twice when the message is redelivered', async () => {
    const { change, rename, stockOf, isWaiting, codes } = await renamingWorld();
    await change('A', 7, { occurredAt: at(1) });
    await rename('A', 'B', 2);
    await change('B', 5, { occurredAt: at(3) });
    await rename('A', 'B', 2);
    expect([await stockOf('A'), await stockOf('B')]).toEqual([undefined, 5]);
    expect([await isWaiting('A'), await isWaiting('B')]).toEqual([false, true]);
    expect(codes()).toEqual([]);
  });

  test('keeps what was said of the old name after the rename, though the rename is known later', async () => {
    const { change, rename, stockOf } = await renamingWorld();
    await change('A', 3, { occurredAt: at(5) });
    await rename('A', 'B', 2);
    expect([await stockOf('A'), await stockOf('B')]).toEqual([3, undefined]);
  });

  test('rejects a value from before the rename that comes after it', async () => {
    const { change, rename, stockOf, codes } = await renamingWorld();
    await rename('A', 'B', 2);
    await change('A', 9, { occurredAt: at(1) });
    await change('A', 3, { occurredAt: at(4) });
    expect(codes()).toEqual(['sku:A TARGET_RENAMED']);
    expect(await stockOf('A')).toBe(3);
  });

  test('takes its values back when the product is renamed back, and a late repeat of the first rename moves nothing', async () => {
    const { change, rename, stockOf } = await renamingWorld();
    await change('A', 7, { occurredAt: at(1) });
    await rename('A', 'B', 2);
    await rename('B', 'A', 3);
    await rename('A', 'B', 2);
    expect([await stockOf('A'), await stockOf('B')]).toEqual([7, undefined]);
  });

  test.each([
    ['all its values, where versions are integers', undefined, [undefined, 8]],
    ['the values up to the version of the update', 4, [8, undefined]],
  ])('gives the new name %s', async (_, version, stocks) => {
    const { change, rename, stockOf } = await renamingWorld();
    await change('A', 8, { version: 5 });
    await rename('A', 'B', 2, version);
    expect([await stockOf('A'), await stockOf('B')]).toEqual(stocks);
  });

  test('rejects values that the new name can not take, so that none is lost in silence', async () => {
    const { change, rename, stockOf, codes } = await renamingWorld();
    await change('A', 7, { version: 1 });
    await change('B', 1, { occurredAt: at(1) });
    await rename('A', 'B', 2);
    expect([await stockOf('A'), await stockOf('B')]).toEqual([undefined, 1]);
    expect(codes()).toEqual(['sku:A VERSION_KIND']);
  });

  test('takes versions of either kind for the product that has the name then', async () => {
    const { change, rename, stockOf, codes } = await renamingWorld();
    await change('A', 7, { occurredAt: at(1) });
    await rename('A', 'B', 2);
    await change('A', 3, { version: 1 });
    expect([await stockOf('A'), codes()]).toEqual([3, []]);
  });

  test('loses no value when the intake is stopped between the two listings', async () => {
    const { ports, change, rename, stockOf } = await renamingWorld();
    await change('A', 7, { occurredAt: at(1) });
    const { update } = ports.listings;
    ports.listings.update = async (storeClientId, target, ...rest) => {
      if (target === 'sku:A') throw new Error('killed');
      return update(storeClientId, target, ...rest);
    };
    await rename('A', 'B', 2);
    ports.listings.update = update;
    expect([await stockOf('A'), await stockOf('B')]).toEqual([7, 7]);
    await rename('A', 'B', 2);
    expect([await stockOf('A'), await stockOf('B')]).toEqual([undefined, 7]);
  });

  test('gives the new name also a value that comes while its values are moved', async () => {
    const { ports, change, rename, stockOf } = await renamingWorld();
    await change('A', 7, { occurredAt: at(1) });
    const { update } = ports.listings;
    let isFirst = true;
    ports.listings.update = async (storeClientId, target, ...rest) => {
      const listing = await update(storeClientId, target, ...rest);
      if (target === 'sku:B' && isFirst) {
        isFirst = false;
        await change('A', 6, { occurredAt: at(1.5) });
      }
      return listing;
    };
    await rename('A', 'B', 2);
    expect([await stockOf('A'), await stockOf('B')]).toEqual([undefined, 6]);
  });
});
