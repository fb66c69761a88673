import { describe, expect, test, vi } from 'vitest';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import {
  discardEverything,
  discardPrices,
  releasePrices,
} from '../../../shared/guards/use-cases/operate-guard.ts';
import { laneWorld, STORE } from '../lanes/lane-world.ts';

const limits = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 10 };
const skus = Array.from({ length: 10 }, (_, index) => `SKU-${index}`);

/** Ten listings, sent with price 100; the guard allows changes above 50 % in 20 % of them. */
async function guardedWorld() {
  const world = laneWorld();
  const events: OutgoingEvent[] = [];
  world.ports.events.publish = async (published) => {
    events.push(...published.filter(({ detailType }) => detailType === 'prices.held'));
  };
  await world.connect();
  await world.change(
    'price.changed',
    1,
    skus.map((sku) => ({ sku, price: 100 })),
  );
  await world.push();
  await world.ports.guards.update(STORE, () => ({ storeClientId: STORE, limits }));
  world.sent.length = 0;
  return { ...world, events };
}

const prices = (count: number, price: number) => skus.slice(0, count).map((sku) => ({ sku, price }));
/** A world with a price guard that holds three prices. */
async function heldWorld() {
  const world = await guardedWorld();
  await world.change('price.changed', 2, prices(3, 10));
  return world;
}

const holdOf = async ({ ports }: Pick<ReturnType<typeof laneWorld>, 'ports'>) =>
  (await ports.guards.get(STORE))?.hold;
const sentItems = ({ sent }: { sent: readonly { items: readonly object[] }[] }) =>
  sent.flatMap(({ items }) => items);

describe('the price guard', () => {
  test('allows as many large changes as are set', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(2, 10));
    await world.push();
    expect(sentItems(world)).toEqual(prices(2, 10));
  });

  test('allows any number of small changes', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(10, 149));
    await world.push();
    expect(sentItems(world)).toHaveLength(10);
    expect(world.events).toEqual([]);
  });

  test('holds prices and the raises behind them, but no zeros and no other stock, and announces the hold once', async () => {
    const world = await heldWorld();
    await world.change('price.changed', 3, prices(4, 11));
    await world.change('stock.changed', 2, [
      { sku: 'SKU-0', stock: 9 },
      { sku: 'SKU-1', stock: 0 },
      { sku: 'SKU-9', stock: 5 },
    ]);
    expect(await world.push()).toMatchObject({ ended: 'drained' });
    expect(sentItems(world)).toEqual([
      { sku: 'SKU-1', stock: 0 },
      { sku: 'SKU-9', stock: 5 },
    ]);
    expect(world.events).toMatchObject([
      { detail: { storeClientId: STORE, changedListings: 3, knownListings: 10 } },
    ]);
  });

  test('holds no lowered stock, and only the raised part of a row with both', async () => {
    const world = await guardedWorld();
    const stocks = (first: number, second: number) => [
      { sku: 'SKU-0', stock: first },
      {
        sku: 'SKU-1',
        warehouses: [
          { clientId: 'wh-1', stock: first },
          { clientId: 'wh-2', stock: second },
        ],
      },
    ];
    await world.change('stock.changed', 2, stocks(10, 10));
    await world.push();
    world.sent.length = 0;
    await world.change('price.changed', 2, prices(3, 10));
    await world.change('stock.changed', 3, stocks(1, 11));
    await world.push();
    expect(sentItems(world)).toEqual([
      { sku: 'SKU-0', stock: 1 },
      { sku: 'SKU-1', warehouses: [{ clientId: 'wh-1', stock: 1 }] },
    ]);
    await world.change('stock.changed', 4, [{ sku: 'SKU-0', stock: 2 }]);
    await world.push();
    expect(sentItems(world)).toHaveLength(2);
    expect(await discardPrices(world.ports, STORE)).toMatchObject({ discarded: 3, done: true });
    await world.push();
    expect(sentItems(world).slice(2)).toEqual([
      { sku: 'SKU-0', stock: 2 },
      { sku: 'SKU-1', warehouses: [{ clientId: 'wh-2', stock: 11 }] },
    ]);
  });

  test('discards a held price also behind lowered stock and behind a zero', async () => {
    const world = await guardedWorld();
    await world.change('stock.changed', 2, [{ sku: 'SKU-0', stock: 10 }]);
    await world.push();
    await world.change('price.changed', 2, prices(3, 10));
    await world.change('stock.changed', 3, [
      { sku: 'SKU-0', stock: 1 },
      { sku: 'SKU-1', stock: 0 },
    ]);
    world.sent.length = 0;
    expect(await discardPrices(world.ports, STORE)).toEqual({ discarded: 3, done: true });
    await world.push();
    expect(sentItems(world)).toEqual([
      { sku: 'SKU-1', stock: 0 },
      { sku: 'SKU-0', stock: 1 },
    ]);
  });

  test('announces the hold at the redelivery of a change whose intake died before it could', async () => {
    const world = await guardedWorld();
    const { publish } = world.ports.events;
    world.ports.events.publish = () => Promise.reject(new Error('killed'));
    const died = await world.change('price.changed', 2, prices(3, 10));
    expect(died).toMatchObject({ failedMessageIds: [expect.any(String)], failures: [{ message: 'killed' }] });
    expect(await world.ports.guards.get(STORE)).toMatchObject({ hold: { announced: false } });
    world.ports.events.publish = publish;
    await world.change('price.changed', 2, prices(3, 10));
    expect(world.events).toHaveLength(1);
    expect(await world.ports.guards.get(STORE)).toMatchObject({ hold: { announced: true } });
  });

  test('does not count as announced a hold that began while an earlier one was announced', async () => {
    const world = await guardedWorld();
    const { guards, events } = world.ports;
    const { publish } = events;
    const since = '2030-01-01T00:00:00.000Z';
    events.publish = async (published) => {
      await publish(published);
      await guards.update(STORE, (current) =>
        current?.hold === undefined ? undefined : { ...current, hold: { ...current.hold, since } },
      );
    };
    await world.change('price.changed', 2, prices(3, 10));
    expect(world.events).toHaveLength(1);
    expect(await holdOf(world)).toMatchObject({ since, announced: false });
  });

  test('counts changes within its window only', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(2, 10));
    await world.clock.run(world.clock.sleep(10 * 60_000));
    await world.change('price.changed', 3, prices(2, 100));
    expect(await world.ports.guards.get(STORE)).not.toHaveProperty('hold');
    await world.change('price.changed', 4, [{ sku: 'SKU-5', price: 1 }]);
    expect(await world.ports.guards.get(STORE)).toHaveProperty('hold');
  });

  test('counts all changes within the length of a window, also across window boundaries', async () => {
    const world = await guardedWorld();
    const minutes = (count: number) => world.clock.run(world.clock.sleep(count * 60_000));
    await world.change('price.changed', 2, prices(1, 100));
    await minutes(9);
    await world.change('price.changed', 3, prices(2, 10));
    await minutes(2);
    await world.change('price.changed', 4, [{ sku: 'SKU-1', price: 1 }]);
    expect(await holdOf(world)).toBeUndefined();
    await world.change('price.changed', 4, [{ sku: 'SKU-9', price: 1 }]);
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('counts a repeated change by its latest time', async () => {
    const world = await guardedWorld();
    const minutes = (count: number) => world.clock.run(world.clock.sleep(count * 60_000));
    await world.change('price.changed', 2, prices(2, 10));
    await minutes(9);
    await world.change('price.changed', 3, prices(2, 9));
    await minutes(2);
    await world.change('price.changed', 4, [{ sku: 'SKU-9', price: 1 }]);
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('counts special prices too, compared with the previous one, and their end', async () => {
    const world = await guardedWorld();
    const special = (specialPrice: number | null) =>
      prices(10, 100).map((item) => ({ ...item, specialPrice }));
    await world.change('price.changed', 2, special(90));
    expect(await world.ports.guards.get(STORE)).not.toHaveProperty('hold');
    await world.change('price.changed', 3, special(1));
    expect(await holdOf(world)).toMatchObject({ changedListings: 10, knownListings: 10 });
    await releasePrices(world.ports, STORE);
    await world.clock.run(world.clock.sleep(1000));
    await world.change('price.changed', 4, special(null));
    expect(await holdOf(world)).toMatchObject({ changedListings: 10 });
  });

  test('counts no price that was only read for a row with a special price', async () => {
    const world = await guardedWorld();
    const items = (specialPrice: number, shownPrice: number) =>
      ['A', 'B', 'C', 'D'].map((sku) => ({ sku, specialPrice, shownPrice }));
    const change = (version: number, rows: readonly object[]) =>
      world.change('price.changed', version, rows, { isOfCommand: true });
    await change(2, items(90, 100));
    await change(3, items(89, 300));
    await change(4, items(88, 300));
    expect(await holdOf(world)).toBeUndefined();
    await change(5, items(9, 300));
    expect(await holdOf(world)).toMatchObject({ changedListings: 4 });
  });

  test('compares a price with the one at the beginning of the window', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(10, 60));
    expect(await holdOf(world)).toBeUndefined();
    await world.change('price.changed', 3, prices(2, 40));
    expect(await holdOf(world)).toBeUndefined();
    await world.change('price.changed', 4, prices(3, 40));
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('begins a window with any change of a price, and a new one after its end', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(10, 60));
    await world.clock.run(world.clock.sleep(10 * 60_000));
    await world.change('price.changed', 3, prices(10, 40));
    expect(await holdOf(world)).toBeUndefined();
    await world.change('price.changed', 4, prices(3, 29));
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('counts a listing once, however often it changes', async () => {
    const world = await guardedWorld();
    for (const version of [2, 3, 4, 5, 6]) {
      await world.change('price.changed', version, prices(1, version % 2 === 0 ? 10 : 100));
    }
    expect(await holdOf(world)).toBeUndefined();
    const { marks = {} } = (await world.ports.guards.get(STORE)) ?? {};
    expect(Object.keys(marks)).toHaveLength(1);
  });

  test('counts a redelivered change once, also when it was not merged before', async () => {
    const world = await guardedWorld();
    const { update } = world.ports.listings;
    world.ports.listings.update = () => Promise.reject(new Error('killed'));
    await world.change('price.changed', 2, prices(2, 10));
    world.ports.listings.update = update;
    await world.change('price.changed', 2, prices(2, 10));
    await world.change('price.changed', 2, prices(2, 10));
    expect(await holdOf(world)).toBeUndefined();
    await world.change('price.changed', 2, prices(3, 10));
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('counts the changes of several concurrent intakes together', async () => {
    const world = await guardedWorld();
    await Promise.all(skus.slice(0, 3).map((sku) => world.change('price.changed', 2, [{ sku, price: 10 }])));
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('does not count the first price of a listing, and counts a large change right after it', async () => {
    const world = await guardedWorld();
    const fresh = (price: number) => ['X', 'Y', 'Z'].map((sku) => ({ sku, price }));
    await world.change('stock.changed', 2, [{ sku: 'X', stock: 1 }]);
    await world.change('price.changed', 2, fresh(10));
    expect(await holdOf(world)).toBeUndefined();
    await world.change('price.changed', 3, fresh(1000));
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('writes no guard data into the listings of a store without a guard', async () => {
    const world = laneWorld();
    await world.connect();
    for (const price of [100, 1]) await world.change('price.changed', 101 - price, prices(10, price));
    expect(await world.ports.guards.get(STORE)).toBeUndefined();
    expect(await world.ports.listings.get(STORE, 'sku:SKU-0')).not.toHaveProperty('guardedPrices');
  });

  test('sends a zero that arrives while its lane is leased before the remaining stock', async () => {
    const world = await heldWorld();
    await world.change(
      'stock.changed',
      2,
      skus.slice(3).map((sku) => ({ sku, stock: 9 })),
    );
    const zero = { sku: 'SKU-0', stock: 0 };
    const intake = world.clock.sleep(500).then(async () => {
      await world.change('stock.changed', 3, [zero]);
      return world.clock.now();
    });
    const [cameAt, report] = await Promise.all([intake, world.push(60_000, 1)]);
    expect(report).toMatchObject({ ended: 'drained', rows: 8 });
    const later = world.sent.filter(({ at }) => at > cameAt).flatMap(({ items }) => items);
    // One row may have been chosen just before.
    expect(later.slice(0, 2)).toContainEqual(zero);
    expect(later.length).toBeGreaterThan(2);
  });

  test('uses no try on a held price while lanes are stopped', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(9, 10));
    await world.change('stock.changed', 2, [{ sku: 'SKU-9', stock: 7 }]);
    await world.limiter.stop({ code: 'AUTH_010', message: 'refused' });
    await world.clock.run(world.clock.sleep(120_000));
    expect(await world.push()).toMatchObject({ ended: 'drained' });
    expect(sentItems(world)).toEqual([{ sku: 'SKU-9', stock: 7 }]);
  });

  test('sends no raise before a held price that arrived after the raise was chosen', async () => {
    const world = await guardedWorld();
    await world.change('stock.changed', 2, [{ sku: 'SKU-0', stock: 5 }]);
    await world.push();
    world.sent.length = 0;
    await world.change('price.changed', 3, prices(9, 10));
    await world.change('stock.changed', 3, [{ sku: 'SKU-9', stock: 1 }]);
    await world.push();
    await world.change('stock.changed', 4, [{ sku: 'SKU-9', stock: 10 }]);
    world.sent.length = 0;
    world.onceChosen(async () => {
      await world.change('price.changed', 5, [{ sku: 'SKU-9', price: 10 }]);
      await world.change('stock.changed', 5, [{ sku: 'SKU-9', stock: 1 }]);
    });
    await world.push();
    expect(sentItems(world)).not.toContainEqual({ sku: 'SKU-9', stock: 10 });
  });

  test('sends the held prices once they are released', async () => {
    const world = await heldWorld();
    await world.change('stock.changed', 2, [{ sku: 'SKU-0', stock: 9 }]);
    await world.push();
    expect(world.sent).toEqual([]);
    world.tickets.length = 0;
    expect(await releasePrices(world.ports, STORE)).toBe(true);
    expect(world.tickets).toHaveLength(1);
    expect(await releasePrices(world.ports, STORE)).toBe(false);
    await world.push();
    expect(sentItems(world)).toEqual([...prices(3, 10), { sku: 'SKU-0', stock: 9 }]);
  });

  test('sends prices with the next request when they are released while their lane is drained', async () => {
    const world = await heldWorld();
    await world.change(
      'stock.changed',
      2,
      skus.slice(3).map((sku) => ({ sku, stock: 9 })),
    );
    const release = world.clock.sleep(500).then(async () => {
      await releasePrices(world.ports, STORE);
      return world.clock.now();
    });
    const [releasedAt, report] = await Promise.all([release, world.push(60_000, 1)]);
    expect(report).toMatchObject({ ended: 'drained', rows: 10 });
    const kinds = world.sent.filter(({ at }) => at > releasedAt).map(({ kind }) => kind);
    // Two rows may have been chosen just before.
    expect(kinds.slice(0, 5).filter((kind) => kind === 'price')).toHaveLength(3);
    expect(kinds.length).toBeGreaterThan(4);
  });

  test('compares the next prices with those before the discarded ones', async () => {
    const world = await heldWorld();
    await discardPrices(world.ports, STORE);
    await world.change('price.changed', 3, prices(10, 110));
    expect(await holdOf(world)).toBeUndefined();
    await world.push();
    expect(sentItems(world)).toEqual(expect.arrayContaining(prices(10, 110)));
    await world.change('price.changed', 4, prices(3, 10));
    expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
  });

  test('drops the held prices once discarded, and sends the raises', async () => {
    const world = await heldWorld();
    await world.change('stock.changed', 2, [{ sku: 'SKU-0', stock: 9 }]);
    expect(await discardPrices(world.ports, STORE)).toEqual({ discarded: 3, done: true });
    await world.push();
    expect(sentItems(world)).toEqual([{ sku: 'SKU-0', stock: 9 }]);
    expect(await world.ports.listings.get(STORE, 'sku:SKU-0')).toMatchObject({
      settled: { price: { outcome: 'rejected', code: 'DISCARDED', acceptedBefore: { value: 100 } } },
    });
    await world.change('price.changed', 3, prices(1, 101));
    await world.push();
    expect(sentItems(world).at(-1)).toEqual({ sku: 'SKU-0', price: 101 });
  });

  test('discards a held price whose listing gets a zero meanwhile, and ends although new prices come in', async () => {
    const world = await heldWorld();
    const { listings } = world.ports;
    let version = 10;
    const waiting: typeof listings.waiting = async function* (store, query) {
      for await (const found of listings.waiting(store, query)) {
        await world.change('stock.changed', version, [{ sku: 'SKU-0', stock: 0 }]);
        await world.change('price.changed', version, [{ sku: `NEW-${version}`, price: 1 }]);
        version += 1;
        yield found;
      }
    };
    const ports = { ...world.ports, listings: { ...listings, waiting } };
    await world.clock.run(world.clock.sleep(1));
    expect(await discardPrices(ports, STORE)).toMatchObject({ done: true });
    const settled = { price: { code: 'DISCARDED' } };
    for (const sku of ['SKU-0', 'SKU-1', 'SKU-2'])
      expect(await listings.get(STORE, `sku:${sku}`)).toMatchObject({ settled });
  });

  test('discards the held prices also when zeros move all of them ahead of the read', async () => {
    const world = await heldWorld();
    const { listings } = world.ports;
    let areMoved = false;
    const waiting: typeof listings.waiting = async function* (store, query) {
      if (areMoved) return yield* listings.waiting(store, query);
      areMoved = true;
      await world.change(
        'stock.changed',
        10,
        skus.map((sku) => ({ sku, stock: 0 })),
      );
    };
    const ports = { ...world.ports, listings: { ...listings, waiting } };
    await world.clock.run(world.clock.sleep(1));
    expect(await discardPrices(ports, STORE)).toEqual({ discarded: 3, done: true });
  });

  test.each([10, 2])(
    'counts the prices that arrive after the last page of a discard was read: %i of 10',
    async (count) => {
      const world = await heldWorld();
      const { listings, guards } = world.ports;
      await world.clock.run(world.clock.sleep(1));
      let passes = 0;
      const waiting: typeof listings.waiting = async function* (store, query) {
        yield* listings.waiting(store, query);
        passes += 1;
        // The first pass discards three prices, the second finds none. No third one follows.
        if (passes === 2) {
          await world.clock.sleep(1);
          await world.change('price.changed', 3, prices(count, 1));
        }
      };
      const ports = { ...world.ports, listings: { ...listings, waiting } };
      expect(await world.clock.run(discardPrices(ports, STORE))).toEqual({ discarded: 3, done: true });
      await world.push();
      const isAllowed = count === 2;
      expect(sentItems(world)).toEqual(isAllowed ? prices(count, 1) : []);
      expect(world.events).toHaveLength(isAllowed ? 1 : 2);
      if (isAllowed) {
        await world.change('price.changed', 4, [{ sku: 'SKU-9', price: 1 }]);
        expect(await holdOf(world)).toMatchObject({ changedListings: 3 });
      } else expect(await guards.get(STORE)).toMatchObject({ hold: { changedListings: 10 } });
    },
  );

  test('drops the rest with a further call when one call has too little time', async () => {
    const world = await guardedWorld();
    await world.change('stock.changed', 2, [{ sku: 'SKU-3', stock: 0 }]);
    await world.change('price.changed', 2, prices(4, 10));
    const { clock } = world;
    const { listings } = world.ports;
    const waiting: typeof listings.waiting = async function* (store, query) {
      for await (const found of listings.waiting(store, query)) {
        yield found;
        await clock.sleep(21_000);
      }
    };
    const discard = (slowly: typeof listings.waiting) =>
      clock.run(discardPrices({ ...world.ports, listings: { ...listings, waiting: slowly } }, STORE));
    // Prices behind a zero come first.
    expect(await discard(waiting)).toEqual({ discarded: 1, done: false });
    expect(await holdOf(world)).toBeDefined();
    expect(await discard(listings.waiting)).toEqual({ discarded: 3, done: true });
    expect(await holdOf(world)).toBeUndefined();
  });

  test('discards on request everything that waits, also earlier commands', async () => {
    const world = await guardedWorld();
    await world.change('price.changed', 2, prices(1, 10));
    await world.change('stock.changed', 2, [
      { sku: 'SKU-1', stock: 9 },
      { sku: 'SKU-2', stock: 0 },
    ]);
    const discardCommands = vi.fn(async () => undefined);
    const ports = { ...world.ports, stores: { discardCommands } };
    expect(await discardEverything(ports, STORE)).toEqual({ discarded: 3, done: true });
    expect(discardCommands).toHaveBeenCalledWith(STORE, new Date(world.clock.now()).toISOString());
    await world.push();
    expect(world.sent).toEqual([]);
    await world.change('stock.changed', 3, [{ sku: 'SKU-2', stock: 4 }]);
    await world.push();
    expect(sentItems(world)).toEqual([{ sku: 'SKU-2', stock: 4 }]);
  });
});
