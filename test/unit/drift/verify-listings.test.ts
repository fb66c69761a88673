import { describe, expect, test } from 'vitest';
import type { Drift, ShownPage } from '../../../shared/drift/model.ts';
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

  test('a listing is missing after two whole cycles that did not show its product, in stores by each name', async () => {
    for (const { run, pass, last, marketplace, events } of [
      verifierOver(['a', 'b', 'c', 'd'], productsOf(['a', 'b', 'c', 'd'])),
      verifierByExternalId(['a', 'b', 'c', 'd']),
    ]) {
      marketplace.removed.add('b');
      await run(9);
      expect([events, last()]).toMatchObject([[], { verified: 3, missingProducts: 0 }]);
      await pass(12 * HOUR);
      await run(9);
      expect(events).toMatchObject([
        { detailType: 'listing.missing', detail: { target: expect.stringMatching(/:b$/) } },
      ]);
      await pass(12 * HOUR);
      marketplace.removed.delete('b');
      await run(9);
      expect([events.length, last()?.missingProducts]).toEqual([1, 0]);
    }
  });

  test('a product that moves to a page that was read already is not missing', async () => {
    const { run, pass, last, marketplace, events } = verifierOver(NAMES, productsOf(NAMES));
    for (const moved of ['B', 'C']) {
      marketplace.unlisted.clear();
      marketplace.unlisted.add(moved);
      await run(9);
      await pass(12 * HOUR);
    }
    expect([events, last()?.missingProducts]).toEqual([[], 0]);
  });

  test('a product that is missing is reported once', async () => {
    const { run, pass, events, last } = verifierOver(NAMES, productsOf(['A']));
    for (let cycle = 0; cycle < 4; cycle += 1) {
      await run(9);
      await pass(12 * HOUR);
    }
    expect(events.map(({ detailType }) => detailType)).toEqual(Array(3).fill('listing.missing'));
    expect(last()).toMatchObject({ verified: 1, missingProducts: 3 });
  });

  test('listings that a run has no time to record are recorded by the next one', async () => {
    const names = Array.from({ length: 250 }, (_, number) => `P${number}`);
    const { run, clock, last, drifts, ports } = verifierOver(names, []);
    const { getMany } = ports.listings;
    Object.assign(ports.listings, {
      getMany: async (...given: Parameters<typeof getMany>) => {
        const found = await getMany(...given);
        if (given[1].length > 0) await clock.sleep(90_000);
        return found;
      },
    });
    await run(9);
    expect([drifts.all().length, last()]).toEqual([200, undefined]);
    await run(9);
    expect([drifts.all().length, last()?.listings]).toEqual([250, 250]);
  });

  test('drifts of deleted listings that a run has no time to forget are forgotten by the next one', async () => {
    const { run, clock, last, drifts, ports } = verifierOver([], []);
    const registers = { price: { relapses: 1 } };
    for (let number = 0; number < 250; number += 1) {
      const target = `sku:P${number}`;
      put(drifts, `s ${target}`, { storeClientId: 's', target, registers });
    }
    const { remove } = ports.drift;
    Object.assign(ports.drift, {
      remove: async (...given: Parameters<typeof remove>) => {
        await clock.sleep(10_000);
        await remove(...given);
      },
    });
    await run(9);
    expect([drifts.all().length, last()]).toEqual([50, undefined]);
    await run(9);
    expect([drifts.all().length, last()?.listings]).toEqual([0, 0]);
  });

  test('a run that ends a cycle late keeps what another run has read for the next one', async () => {
    const { run, clock, ports } = verifierOver(NAMES, productsOf(NAMES));
    await run(3);
    const cycle = new Date(clock.now() + MINUTE).toISOString();
    const ofNext: ShownPage = { list: 'listed', page: 1, cycle, targets: ['sku:A'], unknown: [] };
    await ports.drift.putPage('s', ofNext);
    await run(9);
    expect(await ports.drift.pagesOf('s')).toContainEqual(expect.objectContaining(ofNext));
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

  test('a cycle during which the products get other names reads the new listings, and not those that are left of the old', async () => {
    const ids = [1, 2, 3, 4].map((number) => `10000000-0000-4000-8000-00000000000${number}`);
    const { run, stores, store, listings, last } = verifierOver(ids, productsOf(ids));
    await run(1);
    for (const id of ids) put(listings, `s id:${id}`, listingOf(`id:${id}`));
    stores.set('s', { ...store, names: { products: 'id', orders: 'orderId' }, formerName: 'sku' });
    expect((await run(9)).calls).toEqual(['listed 2', 'archived 1']);
    expect(last()).toMatchObject({ listings: 4, verified: 2, missingProducts: 0 });
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
    const { run, pass, drifts, marketplace } = verifierOver(['A'], productsOf(['A'], 7));
    await run(9);
    await pass(12 * HOUR);
    const decided: Drift = { storeClientId: 's', target: 'sku:A', registers: {}, notShownSince: 'T' };
    marketplace.beforeCall(() => put(drifts, 's sku:A', decided));
    await run(1);
    expect(drifts.read('s sku:A')?.value).toEqual(decided);
  });
});
