import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap, type EventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { importProducts } from './support/import-products.ts';

const released = 'store-0wh';
const discarded = 'store-1wh';
const stores = { [released]: `token-${released}`, [discarded]: `token-${discarded}` };
const limits = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 60 };
const PRODUCTS = 5;
const skus = Array.from({ length: PRODUCTS }, (_, index) => skuOf(index + 1));
const [zeroed = '', lowered = '', raised = ''] = skus;

let run: ConnectorRun;
let tap: EventTap;

beforeAll(async () => {
  run = await startQuickRun({ stores });
  tap = await createEventTap(run.local, { detailTypes: ['prices.held'] });
  await Promise.all([released, discarded].map((store) => importProducts(run, store, PRODUCTS)));
});

afterAll(async () => {
  await tap?.close();
  await run?.[Symbol.asyncDispose]();
});

const send = (storeClientId: string, detailType: string, version: number, items: readonly object[]) =>
  run.partner.putEvents([{ detailType, detail: { storeClientId, version, items } }]);

interface Shown {
  readonly price: number | undefined;
  readonly stock: number | undefined;
}

/** The last price and stock of each product, in the order of `skus`. */
const shown = async (store: string): Promise<Shown[]> => {
  const { products = [] } = (await run.controls?.products(store)) ?? {};
  return skus.map((name) => {
    const product = products.find(({ sku }) => sku === name);
    return { price: product?.history.price.at(-1)?.price, stock: product?.history.stock.at(-1)?.stock };
  });
};

/** Sets price 1000 and stock 10 everywhere and a guard, then cuts all prices to 10 (held) and changes some stock. */
async function floodGuarded(store: string): Promise<void> {
  await send(
    store,
    'price.changed',
    1,
    skus.map((sku) => ({ sku, price: 1000 })),
  );
  await send(
    store,
    'stock.changed',
    1,
    skus.map((sku) => ({ sku, stock: 10 })),
  );
  const isReady = ({ price, stock }: Shown) => price === 1000 && stock === 10;
  await until('the first prices and stock', async () => (await shown(store)).every(isReady));
  const path = `/stores/${store}/price-guard`;
  expect(await run.partner.callApi('PUT', path, limits)).toMatchObject({ status: 200 });

  await send(
    store,
    'price.changed',
    2,
    skus.map((sku) => ({ sku, price: 10 })),
  );
  const held = await until('prices.held', async () => {
    const events = await tap.events();
    return events.find(({ detail }) => detail.storeClientId === store);
  });
  expect(held).toMatchObject({ detail: { knownListings: PRODUCTS, reason: expect.any(String) } });
  expect((await run.partner.callApi('GET', path)).body.hold).toMatchObject({ knownListings: PRODUCTS });

  await send(store, 'stock.changed', 2, [
    { sku: zeroed, stock: 0 },
    { sku: lowered, stock: 1 },
    { sku: raised, stock: 50 },
  ]);
  await until('the zero and the lowered stock', async () => {
    const [first, second] = await shown(store);
    return first?.stock === 0 && second?.stock === 1;
  });
  await run.local.idle();
}

const pricesOf = async (store: string) => (await shown(store)).map(({ price }) => price);

describe('a flood of price cuts in a guarded store', () => {
  test('is held with one event while a zero and lowered stock go out, and is sent with the raise once released', async () => {
    await floodGuarded(released);
    expect(await shown(released)).toEqual([
      { price: 1000, stock: 0 },
      { price: 1000, stock: 1 },
      ...skus.slice(2).map(() => ({ price: 1000, stock: 10 })),
    ]);
    const answer = await run.partner.callApi('POST', `/stores/${released}/release`);
    expect(answer).toMatchObject({ status: 202 });
    await until('the cuts and the raise', async () => {
      const products = await shown(released);
      return products.every(({ price }) => price === 10) && products[2]?.stock === 50;
    });
    const all = await tap.events();
    expect(all.filter(({ detail }) => detail.storeClientId === released)).toHaveLength(1);
  });

  test('is never sent once discarded, while the raise and the next price are', async () => {
    await floodGuarded(discarded);
    const answer = await run.partner.callApi('POST', `/stores/${discarded}/discard`, {});
    expect(answer).toMatchObject({ status: 200, body: { discarded: PRODUCTS, done: true } });
    await send(discarded, 'price.changed', 3, [{ sku: zeroed, price: 1001 }]);
    await until('the raise and the next price', async () => {
      const [first, , third] = await shown(discarded);
      return first?.price === 1001 && third?.stock === 50;
    });
    await run.local.idle();
    expect(await pricesOf(discarded)).toEqual([1001, ...skus.slice(1).map(() => 1000)]);
    const { body } = await run.partner.callApi('GET', `/stores/${discarded}/listings?target=sku:${raised}`);
    expect(body.registers.price).toMatchObject({
      accepted: { value: 1000 },
      rejected: { value: 10, code: 'DISCARDED' },
    });
  });
});
