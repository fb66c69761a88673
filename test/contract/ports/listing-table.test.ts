import { beforeEach, describe, expect, test } from 'vitest';
import { createListingTable, createStoreListings } from '../../../shared/aws/listing-table.ts';
import { createWaitingPageTable } from '../../../shared/aws/waiting-table.ts';
import type { StoreListings } from '../../../shared/imports/ports.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import type { ListingTable, WaitingQuery } from '../../../shared/listings/ports.ts';
import { mergeChange } from '../../../shared/listings/rules/merge-change.ts';
import { type Priority, priorities } from '../../../shared/listings/rules/waiting.ts';
import { endListing } from '../../../shared/listings/use-cases/end-listing.ts';
import { createdListing } from '../../../shared/listings/use-cases/rearm.ts';
import type { WaitingPageTable } from '../../../shared/listings/waiting-pages.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryStoreListings } from '../../doubles/in-memory-store-listings.ts';
import { inMemoryWaitingPages } from '../../doubles/in-memory-waiting-pages.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const NOW = 1_000_000;

interface Tables {
  readonly listings: ListingTable;
  readonly pages: WaitingPageTable;
  readonly walked: StoreListings;
}

function inMemory(): Tables {
  const state = { items: new VersionedItems<Listing>(), pages: new Map() };
  return {
    listings: inMemoryListingTable(undefined, state),
    pages: inMemoryWaitingPages(undefined, state.pages),
    walked: inMemoryStoreListings(undefined, state.items, 50),
  };
}

function onDynamoDb(): Tables {
  const { client, tableName } = local();
  const names = { listingsTable: tableName('Listings'), waitingTable: tableName('Waiting') };
  return {
    listings: createListingTable(client, names),
    pages: createWaitingPageTable(client, names.waitingTable),
    walked: createStoreListings(client, names.listingsTable),
  };
}

describe.each<[string, () => Tables]>([
  ['in memory', inMemory],
  ['on DynamoDB', onDynamoDb],
])('ListingTable %s', (_, create) => {
  let listings: ListingTable;
  let pages: WaitingPageTable;
  let walked: StoreListings;
  let store: string;

  beforeEach(() => {
    ({ listings, pages, walked } = create());
    store = freshId('store');
  });

  /** Merges one value, as intake does. */
  const change = (
    target: string,
    values: Record<string, number>,
    { version = 1, now = NOW, known }: Change = {},
  ) => listings.update(store, target, (current) => merged(current, { target, values, version, now }), known);

  interface Change {
    version?: number;
    now?: number;
    known?: Listing | 'none';
  }

  test('a full file does not count the listing of a name that a rename gave away, until something is said of it again', async () => {
    const targets = async () => (await walked.stockPage(store, 'sku')).listings.map(({ target }) => target);
    await change('sku:A', { stock: 7 });
    await change('sku:B', { stock: 1 });
    const rename = { storeClientId: store, from: 'sku:A', to: 'sku:C', time: NOW, version: 2 };
    await endListing({ listings, clock: { now: () => NOW } }, rename);
    expect(await targets()).toEqual(['sku:B', 'sku:C']);
    await change('sku:A', { stock: 3 }, { version: 3 });
    expect(await targets()).toEqual(['sku:A', 'sku:B', 'sku:C']);
  });

  test('a full file sees when the product of a listing was created', async () => {
    const product = { storeClientId: store, target: 'sku:A', sameAs: [], knownAt: NOW };
    await listings.update(store, 'sku:A', () => createdListing(product));
    expect((await walked.stockPage(store, 'sku')).listings).toMatchObject([{ knownAt: NOW }]);
  });

  function merged(
    current: Listing | undefined,
    { target, values, version, now }: { target: string; values: object; version: number; now: number },
  ): Listing | undefined {
    const merge = mergeChange(
      current,
      { storeClientId: store, target, versionKind: 'integer', version, values },
      now,
    );
    return merge.result === 'changed' ? merge.listing : undefined;
  }

  const waitingIn = async (storeClientId: string, query: WaitingQuery) => {
    const found: Listing[] = [];
    for await (const some of listings.waiting(storeClientId, query)) found.push(...some.listings);
    return found;
  };
  const waiting = (priority: Priority, dueBy = NOW, limit = 10) =>
    waitingIn(store, { among: [priority], dueBy, limit });
  const targetsOf = (found: readonly Listing[]) => found.map(({ target }) => target);

  const settled = (current: Listing | undefined): Listing | undefined => {
    const { waitingSince: _since, ...rest } = current ?? {};
    const stock = { value: 5, version: 1, outcome: 'accepted', at: '2026-01-01T00:00:00.000Z' } as const;
    return current && { ...(rest as Listing), settled: { stock } };
  };

  test.each([
    ['no listing is', []],
    ['few listings are', ['sku:A-04', 'sku:A-10', 'id:a-07']],
    [
      'listings of other targets are as well',
      ['sku:A-01', 'sku:A-02', 'sku:A-02x', 'sku:A-02y', 'sku:A-11', 'sku:é'],
    ],
    ['most targets are', Array.from({ length: 12 }, (_, index) => `sku:A-${String(index).padStart(2, '0')}`)],
  ])('listed returns the targets that have a listing, where %s in their range', async (_, existing) => {
    for (const target of existing) await change(target, { stock: 1 });
    const targets = [
      ...Array.from({ length: 12 }, (_, index) => `sku:A-${String(index).padStart(2, '0')}`),
      ...['id:a-07', 'externalId:e-1', 'sku:é', 'sku:A-02y'],
    ];
    const expected = existing.filter((target) => targets.includes(target));
    expect([...(await listings.listed(store, targets))].sort()).toEqual(expected.toSorted());
    expect(await listings.listed(freshId('store'), targets)).toEqual([]);
    expect(await listings.listed(store, [])).toEqual([]);
  });

  versionedTableContract<Listing>(() => ({
    update: (change) => listings.update(store, 'sku:A', change),
    numbered: (failures) => ({
      storeClientId: store,
      target: 'sku:A',
      versionKind: 'integer',
      // Nothing waits: a listing that waits is also given its page.
      desired: { stock: { value: 5, version: 1 } },
      sent: {},
      settled: {
        stock: { value: 5, version: 1, outcome: 'accepted', at: '2026-01-01T00:00:00.000Z' },
      },
      failures,
    }),
    numberOf: ({ failures }) => failures,
  }));

  test('get returns nothing for a listing that was never written', async () => {
    expect(await listings.get(store, 'sku:A')).toBeUndefined();
  });

  test('update creates a listing and get returns it whole', async () => {
    const written = await change('sku:A', { stock: 5, price: 900 });
    expect(written).toMatchObject({ desired: { stock: { value: 5, version: 1 } }, waitingSince: NOW });
    expect(await listings.get(store, 'sku:A')).toEqual(written);
  });

  test('update keeps the last seen live values of a listing', async () => {
    const live = {
      at: '2026-01-01T00:00:00.000Z',
      values: { price: 5, specialPrice: null, 'stock:wh-1': 0 },
    } as const;
    await change('sku:A', { stock: 5 });
    await listings.update(store, 'sku:A', (current) => current && { ...current, live });
    expect((await listings.get(store, 'sku:A'))?.live).toEqual(live);
    const missing = { at: '2026-01-02T00:00:00.000Z', values: {}, missing: true } as const;
    await listings.update(store, 'sku:A', (current) => current && { ...current, live: missing });
    expect((await listings.get(store, 'sku:A'))?.live).toEqual(missing);
  });

  test('ofProduct returns the listings of a product that was read at the marketplace, in all stores', async () => {
    const productId = freshId('product');
    for (const [of, target] of [
      [store, 'sku:A'],
      [store, 'externalId:a'],
      [freshId('other'), 'sku:A'],
    ] as const)
      await listings.update(of, target, () => ({ ...listingNamed(of, target), productId }));
    await listings.update(store, 'sku:B', () => listingNamed(store, 'sku:B'));
    const found = await listings.ofProduct(productId);
    expect(found.map(({ target }) => target).sort()).toEqual(['externalId:a', 'sku:A', 'sku:A']);
    expect(await listings.ofProduct(freshId('product'))).toEqual([]);
  });

  test('update stores a listing with the most warehouses that it has room for, in every state', async () => {
    const names = Array.from(
      { length: 500 },
      (__, index) => `stock:${String(index).padStart(100, 'w')}` as const,
    );
    const at = '2026-01-01T00:00:00.000Z';
    const register = { value: Number.MAX_SAFE_INTEGER, version: Number.MAX_SAFE_INTEGER };
    const sent = { ...register, at };
    const settled = { ...sent, outcome: 'rejected', code: 'SOME_CODE_001', acceptedBefore: sent } as const;
    const each = <V>(value: V) => Object.fromEntries(names.map((name) => [name, value]));
    const listing: Listing = {
      storeClientId: store,
      target: `sku:${'x'.repeat(1020)}`,
      versionKind: 'integer',
      desired: each({ ...register, lowest: register.value - 1 }),
      sent: each(sent),
      settled: each(settled),
      live: { at, values: each(register.value) },
      waitingSince: NOW,
      failures: 0,
    };
    await listings.update(store, listing.target, () => listing);
    expect(await listings.get(store, listing.target)).toEqual(listing);
  });

  test('a target that is too long for a key can be neither read nor written', async () => {
    const target = `sku:${'x'.repeat(1021)}`;
    await expect(listings.get(store, target)).rejects.toThrow();
    await expect(listings.getMany(store, ['sku:A', target])).rejects.toThrow();
    await expect(change(target, { stock: 1 })).rejects.toThrow();
  });

  test('getMany returns the listings of the given targets and no others', async () => {
    const targets = Array.from({ length: 120 }, (__, index) => `sku:${index}`);
    const written = await Promise.all(
      targets.slice(0, 110).map((target, index) => change(target, { stock: index })),
    );
    await change('sku:unasked', { stock: 1 });
    const found = await listings.getMany(store, targets);
    expect([...found.keys()].sort()).toEqual(targets.slice(0, 110).sort());
    for (const listing of written) expect(found.get(listing?.target ?? '')).toEqual(listing);
  });

  test('update reads again when a copy from getMany, or its absence, is outdated', async () => {
    await change('sku:A', { stock: 5 });
    const known = (await listings.getMany(store, ['sku:A', 'sku:B'])).get('sku:A') ?? 'none';
    await change('sku:A', { price: 900 }, { version: 2 });
    await change('sku:B', { price: 800 }, { version: 2 });
    expect((await change('sku:A', { stock: 4 }, { version: 3, known }))?.desired).toEqual({
      price: { value: 900, version: 2 },
      stock: { value: 4, version: 3 },
    });
    expect((await change('sku:B', { stock: 6 }, { version: 3, known: 'none' }))?.desired).toEqual({
      price: { value: 800, version: 2 },
      stock: { value: 6, version: 3 },
    });
    expect((await change('sku:C', { stock: 7 }, { known: 'none' }))?.desired).toMatchObject({
      stock: { value: 7 },
    });
  });

  test('update starts from the copy of the caller and reads again when that is outdated', async () => {
    await change('sku:A', { stock: 5 });
    const [known] = await waiting(priorities.stock);
    if (known === undefined) throw new Error('nothing waits');
    await change('sku:A', { stock: 6 }, { version: 2 });
    const seen: unknown[] = [];
    await listings.update(
      store,
      'sku:A',
      (current) => {
        seen.push(current?.desired.stock?.value);
        return current && { ...current, failures: 7 };
      },
      known,
    );
    expect(seen).toEqual([5, 6]);
    expect(await listings.get(store, 'sku:A')).toMatchObject({
      failures: 7,
      desired: { stock: { value: 6, version: 2 } },
    });
  });

  test('waiting returns each priority by itself, the oldest first', async () => {
    await change('sku:late', { stock: 5 }, { now: NOW });
    await change('sku:early', { stock: 6 }, { now: NOW - 10 });
    await change('sku:zero', { stock: 0 });
    await change('sku:price', { price: 100 });
    await change('sku:lowered', { stock: 5, price: 100 });
    const settled = { stock: { value: 6, version: 0, outcome: 'accepted', at: 'T' } } as const;
    await listings.update(store, 'sku:lowered', (current) => current && { ...current, settled });
    expect(targetsOf(await waiting(priorities.zeroStock))).toEqual(['sku:zero']);
    expect(targetsOf(await waiting(priorities.loweredStock))).toEqual(['sku:lowered']);
    expect(targetsOf(await waiting(priorities.price))).toEqual(['sku:price']);
    expect(targetsOf(await waiting(priorities.stock))).toEqual(['sku:early', 'sku:late']);
  });

  test('waiting returns what is due in the very millisecond and nothing later', async () => {
    await change('sku:A', { stock: 5 }, { now: NOW });
    expect(targetsOf(await waiting(priorities.stock, NOW - 1))).toEqual([]);
    expect(targetsOf(await waiting(priorities.stock, NOW))).toEqual(['sku:A']);
  });

  test('waiting returns at most as many listings of each priority as asked for, zeros first', async () => {
    for (const name of ['A', 'B', 'C']) {
      await change(`sku:price-${name}`, { price: 5 });
      await change(`sku:zero-${name}`, { stock: 0 });
      await change(`sku:stock-${name}`, { stock: 5 });
    }
    const among = [priorities.zeroStock, priorities.stock];
    const found = targetsOf(await waitingIn(store, { among, dueBy: NOW, limit: 2 }));
    expect(found.map((target) => target.slice(0, -1))).toEqual([
      'sku:zero-',
      'sku:zero-',
      'sku:stock-',
      'sku:stock-',
    ]);
  });

  test('waiting goes past more pages than one read has, also past those of listings that back off', async () => {
    for (let page = 0; page < 12; page += 1) {
      await change(`sku:later-${page}`, { price: 5 }, { now: NOW + 2_000 * (page + 1) });
      await change(`sku:due-${page}`, { stock: 5 }, { now: NOW - 2_000 * page });
    }
    const among = [priorities.price, priorities.stock];
    expect(await pagesOfStore()).toHaveLength(24);
    expect(await waitingIn(store, { among, dueBy: NOW })).toHaveLength(12);
    expect(await waitingIn(store, { among, dueBy: NOW + 100_000 })).toHaveLength(24);
  });

  test('waiting does not return listings of another store', async () => {
    await change('sku:A', { stock: 5 });
    expect(await waitingIn(freshId('store'), { among: [priorities.stock], dueBy: NOW })).toEqual([]);
  });

  test('a listing without waiting work is not found', async () => {
    await change('sku:A', { stock: 5 });
    await listings.update(store, 'sku:A', settled);
    expect(await waiting(priorities.stock)).toEqual([]);
    expect(await listings.nextDue(store)).toBeUndefined();
  });

  test('nextDue is the earliest time over all priorities, also of listings that back off', async () => {
    expect(await listings.nextDue(store)).toBeUndefined();
    await change('sku:A', { stock: 0 }, { now: NOW });
    await listings.update(store, 'sku:A', (current) => current && { ...current, notBefore: NOW + 9_000 });
    expect(await listings.nextDue(store)).toBe(NOW + 9_000);
    await change('sku:C', { price: 5 }, { now: NOW });
    await listings.update(store, 'sku:C', (current) => current && { ...current, backoffUntil: NOW + 7_000 });
    expect(await listings.nextDue(store)).toBe(NOW + 7_000);
    await change('sku:B', { price: 5 }, { now: NOW + 500 });
    expect(await listings.nextDue(store)).toBe(NOW + 500);
  });

  test('firstPriority is the highest priority at which a listing waits', async () => {
    expect(await listings.firstPriority(store)).toBeUndefined();
    await change('sku:A', { stock: 5 });
    expect(await listings.firstPriority(store)).toBe(priorities.stock);
    await change('sku:B', { price: 5 });
    expect(await listings.firstPriority(store)).toBe(priorities.price);
    await change('sku:A', { stock: 0 }, { version: 2 });
    expect(await listings.firstPriority(store)).toBe(priorities.zeroStock);
  });

  const pagesOfStore = async () => (await pages.query(store, { from: '0', to: '9', limit: 100 })).pages;
  const planned = (target: string, now = NOW) => ({
    target,
    known: 'none' as const,
    change: (current: Listing | undefined) =>
      merged(current, { target, values: { stock: 5 }, version: 1, now }),
  });

  test('updates that were prepared together share pages of at most 100 listings', async () => {
    const updates = Array.from({ length: 150 }, (__, index) => planned(`sku:${index}`, NOW + (index % 2)));
    const prepared = await listings.prepare(updates);
    for (const { target, change: merge, known } of updates) {
      await listings.update(store, target, merge, known, prepared);
    }
    const sizes = (await pagesOfStore()).map(({ targets }) => targets.length);
    expect(sizes).toEqual([100, 50]);
    const found = await waiting(priorities.stock, NOW + 1, 200);
    expect(found.map(({ target }) => target).toSorted()).toEqual(
      updates.map(({ target }) => target).toSorted(),
    );
  });

  test('a page is deleted when the last of its listings that was found by it waits no more', async () => {
    const updates = ['sku:A', 'sku:B'].map((target) => planned(target));
    const prepared = await listings.prepare(updates);
    for (const { target, change: merge, known } of updates) {
      await listings.update(store, target, merge, known, prepared);
    }
    expect(targetsOf(await waiting(priorities.stock))).toEqual(['sku:A', 'sku:B']);
    await listings.update(store, 'sku:A', settled);
    expect(targetsOf(await waiting(priorities.stock))).toEqual(['sku:B']);
    await listings.update(store, 'sku:B', settled);
    expect(await pagesOfStore()).toEqual([]);
  });

  test('a listing that is changed while it waits stays in its page', async () => {
    await change('sku:A', { stock: 5 });
    const before = await pagesOfStore();
    await change('sku:A', { stock: 6 }, { version: 2, now: NOW + 5_000 });
    expect(await pagesOfStore()).toEqual(before);
    expect(targetsOf(await waiting(priorities.stock))).toEqual(['sku:A']);
  });

  test('a listing that moves to another priority is found there alone', async () => {
    await change('sku:A', { stock: 5 });
    await change('sku:A', { stock: 0 }, { version: 2 });
    expect(targetsOf(await waiting(priorities.stock))).toEqual([]);
    expect(targetsOf(await waiting(priorities.zeroStock))).toEqual(['sku:A']);
  });

  test('a page that no listing names is kept while its writer may still come to them, and deleted later', async () => {
    const unused = { storeClientId: store, targets: ['sku:A'], since: NOW };
    const fresh = { ...unused, page: `3#${String(NOW).padStart(15, '0')}#fresh`, putAt: Date.now() };
    const old = { ...unused, page: `3#${String(NOW).padStart(15, '0')}#old`, putAt: Date.now() - 600_000 };
    await pages.putAll([fresh, old]);
    expect(await waiting(priorities.stock)).toEqual([]);
    expect(await pagesOfStore()).toEqual([fresh]);
  });

  test('a page whose listings are all written is deleted by the read that finds none of them in it', async () => {
    await change('sku:A', { stock: 5 });
    await change('sku:A', { stock: 0 }, { version: 2 });
    expect(await pagesOfStore()).toHaveLength(2);
    expect(await waiting(priorities.stock)).toEqual([]);
    expect(await pagesOfStore()).toMatchObject([{ page: expect.stringMatching(/^0#/), isWritten: true }]);
  });

  test('a page of several listings is written when the last of them is', async () => {
    const updates = ['sku:A', 'sku:B'].map((target) => planned(target));
    const prepared = await listings.prepare(updates);
    const seen: unknown[] = [];
    for (const { target, change: merge, known } of updates) {
      await listings.update(store, target, merge, known, prepared);
      seen.push((await pagesOfStore()).map(({ isWritten }) => isWritten));
    }
    expect(seen).toEqual([[undefined], [true]]);
  });

  test('waiting leaves out the given targets', async () => {
    for (const name of ['A', 'B', 'C']) await change(`sku:${name}`, { stock: 5 });
    const besides = new Set(['sku:A']);
    const found = await waitingIn(store, { among: [priorities.stock], dueBy: NOW, limit: 2, besides });
    expect(targetsOf(found)).not.toContain('sku:A');
  });

  test('a page says since when its oldest listing waits, also of one that backs off', async () => {
    await change('sku:D', { stock: 0 }, { now: NOW });
    await listings.update(store, 'sku:D', (current) => current && { ...current, notBefore: NOW + 9_000 });
    const [, later] = await pagesOfStore();
    expect(later).toMatchObject({ since: NOW, targets: ['sku:D'] });
    expect(later?.page.startsWith(`0#${String(NOW + 9_000).padStart(15, '0')}#`)).toBe(true);
  });

  test('the pages of every store are listed', async () => {
    await change('sku:A', { stock: 5 });
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await pages.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      all.push(...page.pages.map(({ storeClientId }) => storeClientId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(all).toContain(store);
  });

  test('drop removes the settled listings of the given names and keeps other names, other stores and waiting listings', async () => {
    const other = freshId('store');
    await change('sku:A', { stock: 5 });
    await change('id:1', { stock: 5 });
    await change('sku:waits', { stock: 5 });
    for (const target of ['sku:A', 'id:1']) await listings.update(store, target, settled);
    expect(await listings.drop(other, ['sku'], Number.POSITIVE_INFINITY)).toBe(true);
    expect(await listings.drop(store, ['sku', 'externalId'], Number.POSITIVE_INFINITY)).toBe(true);
    const left = await listings.getMany(store, ['sku:A', 'id:1', 'sku:waits']);
    expect([...left.keys()].sort()).toEqual(['id:1', 'sku:waits']);
  });

  test('remove deletes a listing, and it no longer waits', async () => {
    await change('sku:A', { stock: 5 });
    await listings.remove(store, 'sku:A');
    await listings.remove(store, 'sku:unknown');
    expect(await listings.get(store, 'sku:A')).toBeUndefined();
    expect(targetsOf(await waiting(priorities.stock))).toEqual([]);
  });

  test('countPriced counts the listings of a store with a price, and targets names all, beyond one page', async () => {
    expect(await listings.countPriced(store)).toBe(0);
    const name = (index: number) => `sku:${'x'.repeat(900)}${index}`;
    // More than the 1 MB that one query reads.
    const warehouses = Array.from({ length: 200 }, (__, index) => [`stock:${'w'.repeat(90)}${index}`, 1]);
    const values = { price: 5, ...Object.fromEntries(warehouses) };
    for (let index = 0; index < 60; index += 1) await change(name(index), values);
    await change('sku:stock', { stock: 5 });
    await change('sku:both', { stock: 5, price: 7 });
    await listings.update(freshId('store'), 'sku:A', () => undefined);
    expect(await listings.countPriced(store)).toBe(61);
    expect((await listings.targets(store)).sort()).toEqual(
      [...Array.from({ length: 60 }, (__, index) => name(index)), 'sku:both', 'sku:stock'].sort(),
    );
    expect(await listings.targets(freshId('store'))).toEqual([]);
  });

  test('list has the listings of a store in pages, in the order of their targets', async () => {
    for (const target of ['sku:B', 'id:1', 'sku:A']) await change(target, { stock: 5 });
    const first = await listings.list(store, { limit: 2 });
    expect(first.listings.map(({ target }) => target)).toEqual(['id:1', 'sku:A']);
    const second = await listings.list(store, { limit: 2, ...first });
    expect(second.listings).toEqual([await listings.get(store, 'sku:B')]);
    expect((await listings.list(freshId('store'))).listings).toEqual([]);
  });

  test('update keeps the prices that the guard compares with', async () => {
    const guardedPrices = { since: NOW, values: { price: 5, specialPrice: null } };
    await change('sku:A', { price: 6 });
    await listings.update(store, 'sku:A', (current) => current && { ...current, guardedPrices });
    expect((await listings.get(store, 'sku:A'))?.guardedPrices).toEqual(guardedPrices);
  });
});

function listingNamed(storeClientId: string, target: string): Listing {
  return { storeClientId, target, versionKind: 'time', desired: {}, sent: {}, settled: {}, failures: 0 };
}
