import { expect, test } from 'vitest';
import type { ChangeMessage } from '../../../shared/changes/rules/read-changes.ts';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import type { Listing } from '../../../shared/listings/model.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import { changeNames } from '../../../shared/store-names/change-names.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryFileReceiptTable } from '../../doubles/in-memory-file-receipt-table.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { directly, type Step } from '../../doubles/step.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { Random } from '../../simulation/engine/random.ts';

const STORE = 'store-1';
const ID = '7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f';
const NOW = Date.UTC(2026, 0, 1);
const SEEDS = Array.from({ length: 400 }, (_, index) => index + 1);

/** Interleaves the operations of several calls in an order drawn from a seed. */
function interleaving(seed: number) {
  const random = new Random(seed);
  const waiting: (() => void)[] = [];
  const step: Step = (_, effect) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(effect());
        } catch (error) {
          reject(error);
        }
      });
    });
  const run = async <Result>(work: Promise<Result>): Promise<Result> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) {
      await new Promise(setImmediate);
      if (waiting.length > 0) waiting.splice(random.integer(0, waiting.length - 1), 1)[0]?.();
    }
    return work;
  };
  return { step, run };
}

const settled: Listing = {
  storeClientId: STORE,
  target: 'sku:A',
  versionKind: 'integer',
  desired: { stock: { value: 1, version: 1 } },
  sent: {},
  settled: { stock: { value: 1, version: 1, outcome: 'accepted', at: new Date(NOW).toISOString() } },
  failures: 0,
};

/** A store that names its products by SKU and has one listing without waiting work. */
function world(step: Step = directly) {
  const stores = new Map<string, Store>([
    [
      STORE,
      {
        storeClientId: STORE,
        storeToken: 'token',
        state: 'connected',
        names: { products: 'sku', orders: 'orderId' },
        connectedAt: '',
        updatedAt: '',
      },
    ],
  ]);
  const items = new VersionedItems<Listing>();
  items.replace(`${STORE} sku:A`, settled, undefined, {});
  const rejected = new Map<string, Rejection>();
  const clock = { now: () => NOW, sleep: async () => undefined };
  const listings = inMemoryListingTable(step, { items, pages: new Map() });
  let ids = 0;
  const ports = {
    listings,
    stores: inMemoryStoreTable(step, stores),
    lanes: inMemoryLaneTable(step),
    guards: inMemoryGuardTable(step),
    rejections: inMemoryRejectionTable(step, rejected),
    changeEvents: inMemoryChangeEventTable(step),
    receipts: inMemoryFileReceiptTable(step),
    events: inMemoryEventPublisher(step, []),
    tickets: { send: async () => undefined },
    clock,
    newId: () => `id-${++ids}`,
  };
  const rename = async (products: Store['names']['products'], hasCommands = async () => false) => {
    const store = stores.get(STORE);
    if (store === undefined) throw new Error('no store');
    return changeNames({ ...ports, hasCommands }, store, { products });
  };
  const take = (...messages: ChangeMessage[]) => takeChanges(ports, messages);
  const targets = () => items.all().map(({ target }) => target);
  return { ports, items, stores, rejected, rename, take, targets, store: () => stores.get(STORE) };
}

const message = (row: object, version = 2): ChangeMessage => ({
  messageId: 'm-1',
  sentAt: NOW,
  body: JSON.stringify({
    id: 'e-1',
    'detail-type': 'stock.changed',
    detail: { storeClientId: STORE, version, items: [row] },
  }),
});
const bySku = message({ sku: 'A', stock: 2 });
const byId = message({ id: ID, stock: 2 });

test('a store without waiting work gets other names, and its listings by the former name are removed', async () => {
  const { rename, store, targets } = world();
  await rename('id');
  expect(store()?.names).toEqual({ products: 'id', orders: 'orderId' });
  expect(store()).not.toHaveProperty('formerName');
  expect(store()).not.toHaveProperty('renamingUntil');
  expect(targets()).toEqual([]);
});

test('a store whose work cannot be looked for keeps its names, accepts rows, and is not said to be busy', async () => {
  const { rename, store, take } = world();
  const failed = rename('id', () => Promise.reject(new Error('the table does not answer')));
  await expect(failed).rejects.toThrow('the table does not answer');
  expect(store()?.names.products).toBe('sku');
  expect(store()).not.toHaveProperty('renamingUntil');
  expect(await take(message({ sku: 'B', stock: 1 }))).toMatchObject({ accepted: 1, failedMessageIds: [] });
});

test('a store with waiting work keeps its names and accepts rows', async () => {
  const { rename, store, take, targets } = world();
  await take(bySku);
  await expect(rename('id')).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(store()?.names.products).toBe('sku');
  expect(await take(message({ sku: 'B', stock: 1 }))).toMatchObject({ accepted: 1, failedMessageIds: [] });
  expect(targets()).toEqual(['sku:A', 'sku:B']);
});

test('a store whose lane is leased keeps its names', async () => {
  const { rename, store, ports } = world();
  await ports.lanes.acquire(STORE, { leaseId: 'other', now: NOW, until: NOW + 30_000 });
  await expect(rename('id')).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(store()?.names.products).toBe('sku');
});

test('the current names of a store may be set at any time', async () => {
  const { rename, take } = world();
  await take(bySku);
  await expect(rename('sku')).resolves.toBeUndefined();
});

test('a call that has no time to remove all listings shows the former name, and repeating it removes the rest', async () => {
  const { rename, store, ports, targets } = world();
  const { drop } = ports.listings;
  ports.listings.drop = async () => false;
  await rename('id');
  expect(store()).toMatchObject({ names: { products: 'id' }, formerName: 'sku' });
  await expect(rename('externalId')).rejects.toMatchObject({ code: 'STORE_BUSY' });
  ports.listings.drop = drop;
  await rename('id');
  expect(store()).not.toHaveProperty('formerName');
  expect(targets()).toEqual([]);
});

test('listings of prices by SKU stay when a store changes from externalId to SKU', async () => {
  const { rename, store, targets, take } = world();
  await rename('externalId');
  await take(message({ externalId: ID, stock: 2 }));
  expect(targets()).toEqual([`externalId:${ID}`]);
  expect(store()?.names.products).toBe('externalId');
});

test('rows that arrive during a possible change of names are redelivered', async () => {
  const { take, stores, targets } = world();
  const store = stores.get(STORE);
  if (store !== undefined) stores.set(STORE, { ...store, renamingUntil: NOW + 1 });
  expect(await take(byId)).toMatchObject({ accepted: 0, failedMessageIds: ['m-1'], rejections: {} });
  expect(targets()).toEqual(['sku:A']);
  if (store !== undefined) stores.set(STORE, { ...store, renamingUntil: NOW });
  expect(await take(bySku)).toMatchObject({ accepted: 1, failedMessageIds: [] });
});

test.each([
  ['the former name', bySku],
  ['the new name', byId],
])('a change of names and rows by %s, in any order, keep or reject each row', async (_, row) => {
  const outcomes = new Set<string>();
  for (const seed of SEEDS) {
    const { step, run } = interleaving(seed);
    const { rename, take, store, items, rejected } = world(step);
    const renaming = rename('id').then(
      () => 'renamed',
      () => 'busy',
    );
    const [renamed, taken] = await run(Promise.all([renaming, take(row)]));
    // A redelivered row meets the final names of the store.
    if (taken.failedMessageIds.length > 0) await run(take(row));
    const names = store()?.names.products;
    expect(names, `seed ${seed}`).toBe(renamed === 'renamed' ? 'id' : 'sku');
    const target = row === bySku ? 'sku:A' : `id:${ID}`;
    const isOwn = (row === bySku) === (names === 'sku');
    // A waiting listing by another name may remain: the lane removes it.
    const isKept = isOwn && items.read(`${STORE} ${target}`)?.value.desired.stock?.version === 2;
    const isRejected = [...rejected.values()].some(({ code }) => code === 'NAME_KIND');
    expect([isKept, isRejected], `seed ${seed}`).toEqual([!isRejected, !isKept]);
    outcomes.add(`${renamed} ${isKept}`);
  }
  expect(outcomes.size).toBeGreaterThan(1);
});
