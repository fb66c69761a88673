import { describe, expect, test } from 'vitest';
import type { Drift } from '../../../shared/drift/model.ts';
import { settleRegisters } from '../../../shared/listings/rules/row.ts';
import { MarketplaceError } from '../../../shared/marketplace/errors.ts';
import { HOUR, listingOf, MINUTE, put, START, verifierOver } from './support/verifier-over.ts';

const productsOf = (names: readonly string[], price = 5) => names.map((id) => ({ id, price }));
const NAMES = ['A', 'B', 'C', 'D'];

/** Its store names its products by `externalId`. */
function verifierByExternalId(names: readonly string[]) {
  const verifier = verifierOver([], productsOf(names));
  const { stores, store, listings } = verifier;
  stores.set('s', { ...store, names: { products: 'externalId', orders: 'orderId' } });
  for (const name of names) put(listings, `s externalId:${name}`, listingOf(`externalId:${name}`));
  return verifier;
}

describe('verifyListings', () => {
  test('reads every page of both lists, and ends the cycle', async () => {
    const { run, last } = verifierOver(NAMES, productsOf(NAMES));
    expect((await run(9)).calls).toEqual(['listed 1', 'listed 2', 'archived 1']);
    expect(last()).toMatchObject({ listings: 4, verified: 4, pages: 3 });
  });

  test('reads no more than its budget, and goes on in the next run', async () => {
    const { run, last } = verifierOver(NAMES, productsOf(NAMES));
    expect((await run(1)).calls).toEqual(['listed 1']);
    expect((await run(1)).calls).toEqual(['listed 2']);
    expect(last()).toBeUndefined();
  });

  test('with a small budget, single products and pages take turns', async () => {
    const { run, pass } = verifierOver(NAMES, productsOf(NAMES, 7));
    await run(9);
    await pass(12 * HOUR);
    // The cycle is due, and so is a look at each product, which is as many as a cycle has pages.
    expect((await run(2)).calls).toEqual(['listed 1', 'listed 2']);
    const few = verifierOver(NAMES, [...productsOf(['A', 'B'], 7), ...productsOf(['C', 'D'])]);
    await few.run(9);
    await few.pass(12 * HOUR);
    expect((await few.run(3)).calls).toEqual(['sku A', 'listed 1', 'listed 2']);
  });

  test('a cycle that is cheaper than the single products is read once in a run', async () => {
    const { run, pass } = verifierOver(NAMES, productsOf(NAMES, 7));
    await run(9);
    await pass(HOUR);
    expect((await run(20)).calls).toEqual(['listed 1', 'listed 2', 'archived 1']);
  });

  test('a product that was on no page and is found by its name counts as verified', async () => {
    const { run, last, marketplace } = verifierOver(NAMES, productsOf(NAMES));
    marketplace.unlisted.add('B');
    expect((await run(9)).calls).toEqual(['listed 1', 'listed 2', 'archived 1', 'sku B']);
    expect(last()).toMatchObject({ verified: 4, missingProducts: 0 });
  });

  test('listings whose product is gone are looked for once, over several runs', async () => {
    const { run, last, events } = verifierOver(NAMES, productsOf(['A']));
    expect((await run(3)).calls).toEqual(['listed 1', 'archived 1', 'sku B']);
    expect((await run(9)).calls).toEqual(['sku C', 'sku D']);
    expect(events.map(({ detailType }) => detailType)).toEqual(Array(3).fill('listing.missing'));
    expect(last()).toMatchObject({ verified: 1, missingProducts: 3 });
  });

  test('a product whose id is known is read by it if no page shows it, in a store by externalId', async () => {
    const { run, pass, last, marketplace, events } = verifierByExternalId(['a', 'b', 'c']);
    await run(9);
    await pass(12 * HOUR);
    // It is there, but moves to a page that was read already.
    marketplace.unlisted.add('b');
    expect((await run(9)).calls).toEqual(['listed 1', 'archived 1', 'id b']);
    expect(events).toEqual([]);
    expect(last()).toMatchObject({ verified: 3, missingProducts: 0 });
    await pass(12 * HOUR);
    marketplace.removed.add('b');
    await run(9);
    await pass(12 * HOUR);
    await run(9);
    expect(events).toMatchObject([{ detailType: 'listing.missing', detail: { target: 'externalId:b' } }]);
  });

  test('a listing by externalId whose product was never shown is missing after two whole cycles', async () => {
    const { run, pass, last, marketplace, events } = verifierByExternalId(['a', 'b']);
    marketplace.unlisted.add('b');
    await run(9);
    expect([events, last()?.missingProducts]).toEqual([[], 0]);
    await pass(12 * HOUR);
    await run(9);
    expect(events).toMatchObject([{ detailType: 'listing.missing', detail: { target: 'externalId:b' } }]);
    await pass(12 * HOUR);
    marketplace.unlisted.delete('b');
    await run(9);
    expect([events.length, last()?.missingProducts]).toEqual([1, 0]);
  });

  test('a product to look at again is not forgotten if another run ends the cycle of its store meanwhile', async () => {
    const { run, pass, ports, marketplace } = verifierOver(NAMES, [
      { id: 'A', price: 7 },
      ...productsOf(['B', 'C', 'D']),
    ]);
    const now = new Date(START).toISOString();
    const counts = { pages: 3, listings: 4, verified: 4, drifted: 0, missingProducts: 0, unknownProducts: 0 };
    const last = { startedAt: now, endedAt: now, ...counts };
    marketplace.beforeCall(() => void ports.verifications.update('s', () => ({ storeClientId: 's', last })));
    expect((await run(9)).calls).toEqual(['listed 1']);
    marketplace.beforeCall(() => {});
    await pass(HOUR);
    expect((await run(9)).calls).toEqual(['sku A']);
  });

  test('a store that is disconnected in the middle of a run is no failure', async () => {
    const { run, stores, store, marketplace, failures } = verifierOver(NAMES, productsOf(NAMES));
    marketplace.beforeCall(() => stores.set('s', { ...store, state: 'unbound' }));
    expect((await run(9)).calls).toEqual(['listed 1']);
    expect(failures).toEqual([]);
  });

  test('with a small budget, the store that waits longest comes first', async () => {
    const { run, pass, stores, store, ports } = verifierOver(NAMES, productsOf(NAMES));
    await run(9);
    await pass(12 * HOUR);
    stores.set('s2', { ...store, storeClientId: 's2' });
    await run(1);
    const known = await ports.verifications.all();
    expect([known.get('s')?.cycle, known.get('s2')?.cycle?.page]).toEqual([undefined, 2]);
  });

  test('a run ends when the marketplace refuses the partner, and says so once', async () => {
    const { run, stores, store, marketplace, failures } = verifierOver(NAMES, productsOf(NAMES));
    stores.set('s2', { ...store, storeClientId: 's2' });
    const error = { code: 'AUTH_010', message: '', outcome: 'refused', retryable: false } as const;
    let refused = 0;
    marketplace.beforeCall(() => {
      refused += 1;
      throw new MarketplaceError(error);
    });
    await run(9);
    expect([refused, failures.length]).toEqual([1, 1]);
  });

  test('a product that the marketplace fails to show does not hold up the cycle of its store', async () => {
    const { run, last, failures, marketplace } = verifierOver(NAMES, productsOf(NAMES));
    for (const name of ['B', 'C', 'D']) marketplace.unlisted.add(name);
    marketplace.broken.add('B').add('C');
    expect((await run(9)).calls).toEqual(['listed 1', 'archived 1', 'sku B', 'sku C']);
    expect((await run(9)).calls).toEqual(['sku D']);
    expect(last()).toMatchObject({ listings: 4, verified: 2, missingProducts: 0 });
    expect(failures).toHaveLength(2);
  });

  test('a repaired product that the marketplace fails to show is looked at later, after the others and the pages', async () => {
    const { run, pass, drifts, marketplace } = verifierOver(NAMES, [
      ...productsOf(['A', 'B'], 7),
      ...productsOf(['C', 'D']),
    ]);
    await run(9);
    await pass(12 * HOUR);
    marketplace.broken.add('A');
    expect((await run(4)).calls).toEqual(['sku A', 'listed 1', 'listed 2', 'archived 1']);
    expect(drifts.read('s sku:A')?.value.registers.price?.open).toBeDefined();
  });

  test('repaired products that the marketplace never shows do not hold up the pages of their store', async () => {
    const { run, pass, marketplace } = verifierOver(NAMES, [
      ...productsOf(['A', 'B'], 7),
      ...productsOf(['C', 'D']),
    ]);
    await run(9);
    await pass(12 * HOUR);
    for (const name of ['A', 'B']) {
      marketplace.broken.add(name);
      marketplace.unlisted.add(name);
    }
    expect((await run(9)).calls).toEqual(['sku A', 'listed 1', 'sku B', 'archived 1']);
  });

  test('a cycle during which the products get other names reads the new listings, and not those that are left of the old', async () => {
    const ids = [1, 2, 3, 4].map((number) => `10000000-0000-4000-8000-00000000000${number}`);
    const { run, stores, store, listings, last } = verifierOver(ids, productsOf(ids));
    await run(1);
    for (const id of ids) put(listings, `s id:${id}`, listingOf(`id:${id}`));
    stores.set('s', { ...store, names: { products: 'id', orders: 'orderId' }, formerName: 'sku' });
    expect((await run(9)).calls).toEqual(['listed 2', 'archived 1', `id ${ids[0]}`, `id ${ids[1]}`]);
    expect(last()).toMatchObject({ listings: 4, verified: 4, missingProducts: 0 });
  });

  test('the age of a cycle counts from the return of a store', async () => {
    const { run, clock, pass, stores, store } = verifierOver(NAMES, productsOf(NAMES));
    await run(9);
    await pass(100 * HOUR);
    stores.set('s', { ...store, updatedAt: new Date(clock.now() - MINUTE).toISOString() });
    expect((await run(9)).report.oldestCycleAgeMs).toBe(MINUTE);
  });

  test('a difference that only an old copy of the listing shows is not reported', async () => {
    const { run, ports, listings, events } = verifierOver(['A'], productsOf(['A'], 6));
    const old = listingOf('sku:A');
    const price = { price: { value: 6, version: 2 } };
    const newest = settleRegisters({ ...old, desired: price }, price, { outcome: 'accepted' }, START);
    put(listings, 's sku:A', newest);
    const { getMany } = ports.listings;
    Object.assign(ports.listings, {
      getMany: async (...[store, targets, options]: Parameters<typeof getMany>) =>
        options?.mayBeStale ? new Map([['sku:A', old]]) : getMany(store, targets),
    });
    await run(9);
    expect(events).toEqual([]);
  });

  test('what a person decides while a product is read stays', async () => {
    const { run, clock, pass, drifts, marketplace } = verifierOver(['A'], productsOf(['A'], 7));
    await run(9);
    await pass(10 * MINUTE);
    const decided: Drift = { storeClientId: 's', target: 'sku:A', registers: {}, lookAt: clock.now() + HOUR };
    marketplace.beforeCall(() => put(drifts, 's sku:A', decided));
    await run(1);
    expect(drifts.read('s sku:A')?.value).toEqual(decided);
  });
});
