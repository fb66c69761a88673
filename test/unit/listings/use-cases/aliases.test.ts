import { describe, expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { learnAliases } from '../../../../shared/listings/use-cases/learn-aliases.ts';
import { rearmTargets } from '../../../../shared/listings/use-cases/rearm-targets.ts';
import { getListing } from '../../../../shared/listings/use-cases/update-listing.ts';
import { laneWorld, type SentRequest, STORE } from '../../lanes/lane-world.ts';
import { failure } from '../../support/failure.ts';

const ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const EXTERNAL_ID = '11111111-2c3a-4f0e-9d6b-1a2b3c4d5e6f';

/** An answer that names each row's one product in every way. */
const namingAll = ({ items }: SentRequest) => ({
  acceptedRows: items.map((_, rowIndex) => ({
    rowIndex,
    target: 'product',
    sku: 'A',
    id: ID,
    externalId: EXTERNAL_ID,
  })),
});

describe('names of one product', () => {
  test('become one listing as soon as an answer shows them, the newest value winning', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 2 }]);
    await world.change('stock.changed', 5, [{ id: ID, stock: 5 }]);
    await world.push();
    expect(await getListing(world.ports.listings, STORE, `id:${ID}`)).toMatchObject({
      target: 'sku:A',
      desired: { stock: { value: 5, version: 5 } },
      aliases: [`externalId:${EXTERNAL_ID}`, `id:${ID}`],
    });
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 5 }]);
  });

  test('keep the outcome of the one row that a product had under its only name', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 2, [{ externalId: EXTERNAL_ID, stock: 2 }]);
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([[{ externalId: EXTERNAL_ID, stock: 2 }]]);
    expect(await getListing(world.ports.listings, STORE, `externalId:${EXTERNAL_ID}`)).toMatchObject({
      target: 'sku:A',
      settled: { stock: { value: 2, outcome: 'accepted' } },
    });
  });

  test('do not include one that no listing has room for', async () => {
    const sku = 'x'.repeat(1021);
    const world = laneWorld({
      reply: () => ({ acceptedRows: [{ rowIndex: 0, target: 'product', sku, id: ID }] }),
    });
    await world.connect();
    await world.change('stock.changed', 2, [{ externalId: EXTERNAL_ID, stock: 2 }]);
    await world.push();
    expect(await getListing(world.ports.listings, STORE, `id:${ID}`)).toMatchObject({
      target: `id:${ID}`,
      settled: { stock: { value: 2, outcome: 'accepted' } },
    });
  });

  test('share their versions from then on', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 2 }]);
    await world.change('stock.changed', 2, [{ id: ID, stock: 2 }]);
    await world.push();
    await world.change('stock.changed', 9, [{ externalId: EXTERNAL_ID, stock: 9 }]);
    expect(await world.change('stock.changed', 8, [{ id: ID, stock: 8 }])).toMatchObject({ stale: 1 });
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 9 }]);
  });

  test('let a price go by externalId, which is rejected as long as no answer has shown what it names', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    expect(await world.change('price.changed', 1, [{ externalId: EXTERNAL_ID, price: 90 }])).toMatchObject({
      rejections: { PRICE_TARGET_UNKNOWN: 1 },
    });
    expect(world.rejections).toMatchObject([
      { code: 'PRICE_TARGET_UNKNOWN', target: `externalId:${EXTERNAL_ID}` },
    ]);
    await world.change('stock.changed', 1, [{ externalId: EXTERNAL_ID, stock: 1 }]);
    await world.push(60_000, 1);
    await world.change('price.changed', 2, [{ externalId: EXTERNAL_ID, price: 91 }]);
    await world.push();
    expect(world.sent.at(-1)).toMatchObject({ kind: 'price', items: [{ sku: 'A', price: 91 }] });
  });

  test('are learned also where one comes in while its holder is busy with the lane', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 5, [{ sku: 'A', stock: 5 }]);
    const intake = world.clock.sleep(50).then(() => world.change('stock.changed', 3, [{ id: ID, stock: 3 }]));
    await Promise.all([intake, world.push()]);
    expect(world.sent.map(({ items }) => items)).toEqual([
      [{ sku: 'A', stock: 5 }],
      [{ sku: 'A', stock: 5 }],
    ]);
    expect(await getListing(world.ports.listings, STORE, `id:${ID}`)).toMatchObject({ target: 'sku:A' });
  });

  test('are learned again where somebody died before the outcomes were settled', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 5, [{ sku: 'A', stock: 5 }]);
    await world.change('stock.changed', 3, [{ id: ID, stock: 3 }]);
    const { close } = world.ports.attempts;
    world.ports.attempts.close = () => Promise.reject(new Error('killed'));
    await expect(world.push(60_000, 1)).rejects.toThrow('killed');
    world.ports.attempts.close = close;
    await world.clock.run(world.clock.sleep(31_000));
    await world.push(60_000, 1);
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 5 }]);
    expect(await getListing(world.ports.listings, STORE, `id:${ID}`)).toMatchObject({ target: 'sku:A' });
  });

  test('are learned from the next answer where somebody died over those of the first', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 5, [{ sku: 'A', stock: 5 }]);
    await world.change('stock.changed', 3, [{ id: ID, stock: 3 }]);
    const { hasSeveralNames } = world.ports.listings;
    world.ports.listings.hasSeveralNames = () => Promise.reject(new Error('killed'));
    await expect(world.push()).rejects.toThrow('killed');
    world.ports.listings.hasSeveralNames = hasSeveralNames;
    await world.clock.run(world.clock.sleep(31_000));
    await world.push();
    expect(await getListing(world.ports.listings, STORE, `id:${ID}`)).toMatchObject({
      target: 'sku:A',
      settled: { stock: { value: 5, outcome: 'accepted' } },
    });
  });

  test('are not looked for in a store that uses one kind of name', async () => {
    const world = laneWorld({ reply: namingAll });
    await world.connect();
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 2 }]);
    await world.push();
    expect(await world.ports.listings.get(STORE, `id:${ID}`)).toBeUndefined();
  });

  test('stay apart while their versions are of different kinds', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 2 }]);
    const listings = world.ports.listings;
    await listings.update(STORE, `id:${ID}`, () => ({
      storeClientId: STORE,
      target: `id:${ID}`,
      versionKind: 'time',
      desired: { stock: { value: 3, version: 1 } },
      sent: {},
      settled: {},
      failures: 0,
    }));
    await learnAliases(world.ports, STORE, ['sku:A', `id:${ID}`]);
    expect(await listings.get(STORE, `id:${ID}`)).not.toHaveProperty('aliasOf');
  });

  test('take over the fence of an unknown outcome, and send everything again behind it', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [{ sku: 'A', stock: 5 }]);
    await world.push();
    await world.change('stock.changed', 2, [{ id: ID, stock: 2 }]);
    const until = world.clock.now() + 30_000;
    await world.ports.listings.update(
      STORE,
      `id:${ID}`,
      (current) => current && { ...current, notBefore: until },
    );
    await learnAliases(world.ports, STORE, ['sku:A', `id:${ID}`]);
    expect(await world.push()).toMatchObject({ requests: 0 });
    await world.clock.run(world.clock.sleep(30_000));
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 5 }]);
  });

  test('take over a backoff, which is no fence: what was accepted stays so', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 5, [{ sku: 'A', stock: 5 }]);
    await world.push();
    await world.change('price.changed', 2, [{ id: ID, price: 2 }]);
    const backoffUntil = world.clock.now() + 30_000;
    const backOff = (current?: Listing) => current && { ...current, backoffUntil };
    await world.ports.listings.update(STORE, `id:${ID}`, backOff);
    await learnAliases(world.ports, STORE, ['sku:A', `id:${ID}`]);
    expect(await world.ports.listings.get(STORE, 'sku:A')).toMatchObject({
      backoffUntil,
      settled: { stock: { value: 5, outcome: 'accepted' } },
    });
  });

  test('stay behind an attempt under one of them that is found to be unknown after they were learned', async () => {
    const world = laneWorld({
      reply: async (request) => {
        if (request !== world.sent[0]) return namingAll(request);
        await world.clock.sleep(5_000);
        throw failure('TIMEOUT', { outcome: 'unknown', retryable: true });
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, [
      { sku: 'A', stock: 1 },
      { id: ID, stock: 1 },
    ]);
    await world.push(60_000, 1);
    expect(world.sent.map(({ items }) => items)).toEqual([[{ id: ID, stock: 1 }], [{ sku: 'A', stock: 1 }]]);
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 2 }]);
    await world.push();
    expect(world.sent).toHaveLength(2);
    await world.clock.run(world.clock.sleep(30_000));
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 2 }]);
  });

  test('find the keeper of the values also when they are learned in parts', async () => {
    const world = laneWorld();
    await world.connect();
    await world.change('stock.changed', 3, [{ externalId: EXTERNAL_ID, stock: 3 }]);
    await learnAliases(world.ports, STORE, [`id:${ID}`, `externalId:${EXTERNAL_ID}`]);
    await learnAliases(world.ports, STORE, ['sku:A', `id:${ID}`]);
    await world.push();
    expect(world.sent.map(({ items }) => items)).toEqual([[{ sku: 'A', stock: 3 }]]);
    await world.change('stock.changed', 4, [{ externalId: EXTERNAL_ID, stock: 4 }]);
    await world.push();
    expect(world.sent.at(-1)?.items).toEqual([{ sku: 'A', stock: 4 }]);
  });
});

describe('rearmTargets', () => {
  const missing = { errors: [{ code: 'INV_001', message: 'Invalid SKU', rowIndex: 0 }] } as never;

  test('lets a value that found no target wait again once it is created', async () => {
    const world = laneWorld({ reply: () => (world.sent.length === 1 ? missing : {}) });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 1 }]);
    await world.push();
    expect(await world.push()).toMatchObject({ requests: 0 });
    world.tickets.length = 0;
    await rearmTargets(world.ports, STORE, ['sku:A', 'sku:UNKNOWN']);
    expect(world.tickets).toHaveLength(1);
    await world.push();
    expect(world.sent).toHaveLength(2);
  });

  test('counts for a row that is under way when the target is created', async () => {
    const world = laneWorld({
      reply: async () => {
        if (world.sent.length > 1) return {};
        await rearmTargets(world.ports, STORE, ['sku:A']);
        return missing;
      },
    });
    await world.connect();
    await world.change('stock.changed', 1, [{ sku: 'A', stock: 1 }]);
    await world.push();
    expect(world.sent).toHaveLength(2);
  });
});
