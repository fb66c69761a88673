import { describe, expect, test } from 'vitest';
import type { ListingTable } from '../../../../shared/listings/ports.ts';
import { finishJoin, learnAliases } from '../../../../shared/listings/use-cases/learn-aliases.ts';
import { getListing } from '../../../../shared/listings/use-cases/update-listing.ts';
import { laneWorld, STORE } from '../../lanes/lane-world.ts';

const ID = 'id:7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const EXTERNAL_ID = 'externalId:11111111-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const NAMES = ['sku:A', ID, EXTERNAL_ID];

/** One write for the keeper's values and mark, one for each alias, one that lifts the mark. */
const WRITES = 4;

/** Of the items that were sent, the stock. */
const stocksOf = (world: ReturnType<typeof laneWorld>) =>
  world.sent.flatMap(({ items }) => items.map((item) => (item as { stock?: number }).stock));

const rowOf = (target: string, stock: number) => {
  const [kind = '', value] = target.split(/:(.*)/s);
  return { [kind]: value, stock };
};

/** The table as one has it who dies after so many writes. */
function dyingAfter(listings: ListingTable, writes: number): ListingTable {
  let left = writes;
  return {
    ...listings,
    update: async (storeClientId, target, change, known) => {
      if (left === 0) throw new Error('dead');
      let isWritten = false;
      const watched: typeof change = (current) => {
        const changed = change(current);
        isWritten = changed !== undefined;
        return changed;
      };
      const stored = await listings.update(storeClientId, target, watched, known);
      if (isWritten) left -= 1;
      if (isWritten && left === 0) throw new Error('dead');
      return stored;
    },
  };
}

/** Joins all names, as the holder of a lane does with nothing on its way, and dies after so many writes. */
async function joinAndDie(world: ReturnType<typeof laneWorld>, writes: number): Promise<void> {
  const ports = { ...world.ports, listings: dyingAfter(world.ports.listings, writes) };
  const join = async () => {
    await learnAliases(ports, STORE, NAMES);
    for (const marked of await ports.listings.joining(STORE)) await finishJoin(ports, marked);
  };
  await expect(join()).rejects.toThrow('dead');
}

const newer = [
  ['the keeper', 'sku:A', ID],
  ['another name', ID, 'sku:A'],
  ['the name that no price goes by', EXTERNAL_ID, ID],
] as const;

describe.each(newer)(
  'names of one product, of which %s has the newest value at the marketplace',
  (_, ...names) => {
    const [newest, older] = names;
    const steps = Array.from({ length: WRITES }, (__, index) => index + 1);

    /** The newer value has landed, and the older one waits under the other name. */
    async function worldWithBoth() {
      const world = laneWorld();
      await world.connect();
      await world.change('stock.changed', 5, [rowOf(newest, 5)]);
      await world.push();
      await world.change('stock.changed', 3, [rowOf(older, 3)]);
      return world;
    }

    test.each(steps)('let no older one leave after a crash at write %i', async (writes) => {
      const world = await worldWithBoth();
      await joinAndDie(world, writes);
      await world.push();
      expect(stocksOf(world)).toEqual([5, 5]);
      for (const name of NAMES) {
        const listing = await getListing(world.ports.listings, STORE, name);
        expect(listing).toMatchObject({ target: 'sku:A', desired: { stock: { value: 5 } } });
        expect(listing).not.toHaveProperty('joining');
      }
    });

    test.each(steps)('lose nothing that comes in after a crash at write %i', async (writes) => {
      for (const name of NAMES) {
        const world = await worldWithBoth();
        await joinAndDie(world, writes);
        await world.change('stock.changed', 4, [rowOf(name, 4)]);
        await world.change('stock.changed', 7, [rowOf(name, 7)]);
        await world.push();
        expect(stocksOf(world)).toEqual([5, 7]);
      }
    });

    test.each(steps)('are joined by two at once, one of whom dies at write %i', async (writes) => {
      const world = await worldWithBoth();
      await Promise.all([joinAndDie(world, writes).catch(() => undefined), world.push()]);
      await world.push();
      expect(
        stocksOf(world)
          .slice(1)
          .every((stock) => stock === 5),
      ).toBe(true);
      expect(await world.ports.listings.joining(STORE)).toEqual([]);
    });
  },
);

describe('a lane with names that are being joined', () => {
  test('counts as due, with nothing else that waits', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [rowOf('sku:A', 5)]);
    await world.push();
    await joinAndDie(world, 1);
    expect(await world.ports.listings.nextDue(STORE)).toBe(world.clock.now());
    expect(await world.push()).toMatchObject({ ended: 'drained', requests: 0 });
    expect(await world.ports.listings.nextDue(STORE)).toBeUndefined();
    expect(await world.ports.listings.get(STORE, ID)).toMatchObject({ aliasOf: 'sku:A' });
  });

  test('marks nothing where their versions are of different kinds', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [rowOf('sku:A', 5)]);
    const { listings } = world.ports;
    const other = await listings.get(STORE, 'sku:A');
    await listings.update(STORE, ID, () => other && { ...other, target: ID, versionKind: 'time' });
    await learnAliases(world.ports, STORE, ['sku:A', ID]);
    expect(await listings.joining(STORE)).toEqual([]);
  });

  test('lifts the mark of a name that got values of another kind meanwhile, and leaves it apart', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [rowOf('sku:A', 5)]);
    await joinAndDie(world, 1);
    const { listings } = world.ports;
    const other = await listings.get(STORE, 'sku:A');
    if (other === undefined) expect.fail('there is no listing');
    const { joining: _, aliases: __, ...plain } = other;
    await listings.update(STORE, ID, () => ({ ...plain, target: ID, versionKind: 'time' }));
    await world.push();
    expect(await listings.joining(STORE)).toEqual([]);
    expect(await listings.get(STORE, 'sku:A')).toMatchObject({ aliases: [EXTERNAL_ID] });
    expect(await listings.get(STORE, ID)).not.toHaveProperty('aliasOf');
    expect(world.sent.flatMap(({ items }) => items)).toHaveLength(2);
  });

  test('withdraws a request that was chosen before they were joined, and sends what they became', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [rowOf('sku:A', 5)]);
    await world.push();
    await world.change('stock.changed', 3, [rowOf(ID, 3)]);
    const { listings, attempts } = world.ports;
    const closed: string[] = [];
    const { waiting } = listings;
    const { close } = attempts;
    attempts.close = (attemptId, outcome, batchId) => {
      closed.push(outcome);
      return close(attemptId, outcome, batchId);
    };
    let isJoined = false;
    listings.waiting = async (storeClientId, query) => {
      const page = await waiting(storeClientId, query);
      const isChosen = query.limit === 100 && page.listings.length > 0;
      if (isChosen && !isJoined) {
        isJoined = true;
        await learnAliases(world.ports, STORE, NAMES);
        await world.clock.sleep(1);
      }
      return page;
    };
    await world.push();
    expect(closed).toEqual(['withdrawn', 'answered']);
    expect(world.sent.map(({ items }) => items)).toEqual([
      [{ sku: 'A', stock: 5 }],
      [{ sku: 'A', stock: 5 }],
    ]);
  });

  test('keeps the mark where its holder has lost the lane: the next one may not have seen it', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [rowOf('sku:A', 5)]);
    await joinAndDie(world, 1);
    const { lanes, listings } = world.ports;
    const { extend } = lanes;
    lanes.extend = async () => false;
    expect(await world.push()).toMatchObject({ ended: 'lost', requests: 0 });
    expect(await listings.joining(STORE)).toHaveLength(1);
    lanes.extend = extend;
    await world.clock.run(world.clock.sleep(31_000));
    expect(await world.push()).toMatchObject({ ended: 'drained', requests: 1 });
    expect(await listings.joining(STORE)).toEqual([]);
  });

  test('keeps the mark while one of them is on its way', async () => {
    const world = laneWorld({
      reply: async () => {
        if (world.sent.length > 1) return {};
        await learnAliases(world.ports, STORE, NAMES);
        await world.clock.sleep(2_000);
        expect(await world.ports.listings.joining(STORE)).toHaveLength(1);
        return {};
      },
    });
    await world.connect();
    await world.change('stock.changed', 5, [rowOf(ID, 5)]);
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([[rowOf(ID, 5)]]);
  });
});
