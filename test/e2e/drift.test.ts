import { afterAll, beforeAll, expect, test } from 'vitest';
import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap, type EventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls, SandboxProduct } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';
import { templateWithLimit } from '../../tools/chaos/hasty-template.ts';
import { type AlarmStates, alarmStates } from './support/alarm-states.ts';
import { createDirectly } from './support/create-directly.ts';
import { importProducts } from './support/import-products.ts';
import { peakMemoryMb } from './support/peak-memory.ts';
import { getItem, setAttribute } from './support/set-attribute.ts';

/** `DRIFT_PRODUCTS=10000 DRIFTS=500` is the large form. */
const PRODUCTS = Number(process.env.DRIFT_PRODUCTS ?? 60);
const DRIFTS = Number(process.env.DRIFTS ?? 12);
/** So that a few products make several pages. */
const PAGE_SIZE = Math.max(20, Math.ceil(PRODUCTS / 200));
/** Drifts that are repeated until they are contested. */
const CONTESTS = Math.ceil(DRIFTS / 50);
/** Fewer than a cycle needs. */
const CALLS_PER_RUN = Math.max(4, Math.ceil(PRODUCTS / PAGE_SIZE / 4));
const CYCLE_HOURS = 24;
const store = 'store-2wh';
/** A look reads all products of the sandbox: many products are looked at less often. */
const WITHIN = { withinMs: 120_000 + 150 * PRODUCTS, everyMs: Math.max(250, PRODUCTS / 2) };

let run: ConnectorRun;
let controls: SandboxControls;
let tap: EventTap;
let alarms: AlarmStates;

beforeAll(
  async () => {
    const template = await templateWithLimit({ requestsPerSecond: 50, requestsInFlight: 20 });
    const verifier = Object.entries(template.Resources).find(
      ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith('ListingVerifier'),
    )?.[1].Properties as { Timeout: number; Environment: { Variables: Record<string, string> } };
    verifier.Timeout = 200;
    Object.assign(verifier.Environment.Variables, {
      VERIFIER_CALLS_PER_RUN: String(CALLS_PER_RUN),
      VERIFIER_GRACE_SECONDS: '1',
      VERIFIER_CYCLE_HOURS: String(CYCLE_HOURS),
      PAGE_SIZE: String(PAGE_SIZE),
    });
    alarms = alarmStates(template);
    run = await startQuickRun({
      log: alarms.log,
      template,
      schedules: 'manual',
      stores: { [store]: `token-${store}` },
    });
    if (run.controls === undefined) throw new Error('these tests need the sandbox');
    controls = run.controls;
    tap = await createEventTap(run.local);
    await importProducts(run, store, PRODUCTS - 1);
    await createDirectly(run, store, [PRODUCTS]);
    await hasEnded('products created');
    await makeLive();
    await hasEnded('prices and stock live');
  },
  240_000 + 250 * PRODUCTS,
);

const begun = Date.now();
/** Reads of the verifier so far, as the sandbox counts them. */
let reads = 0;

/** The large form prints when each part has ended. */
async function hasEnded(part: string): Promise<void> {
  if (process.env.DRIFT_PRODUCTS === undefined) return;
  const seconds = Math.round((Date.now() - begun) / 1000);
  process.stdout.write(
    `${JSON.stringify({ part, seconds, reads, memoryMb: await peakMemoryMb('ListingVerifier') })}\n`,
  );
}

afterAll(async () => {
  await tap?.close();
  await run?.[Symbol.asyncDispose]();
});

const api = (method: string, path: string, body?: object) =>
  run.partner.callApi(method, `/stores/${store}${path}`, body);

const send = (detailType: string, version: number, items: readonly object[]) =>
  run.partner.sendChanges(
    Array.from({ length: Math.ceil(items.length / 100) }, (_, page) =>
      JSON.stringify({
        'detail-type': detailType,
        detail: { storeClientId: store, version, items: items.slice(100 * page, 100 * (page + 1)) },
      }),
    ),
  );

const without = (some: readonly number[], others: readonly number[]) =>
  some.filter((one) => !others.includes(one));
const numbers = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);
const warehouseStock = (number: number) => (number % 40) + 1;

/** What the marketplace shows of each SKU. */
async function live() {
  const { products } = await controls.products(store);
  return new Map(products.map((product) => [product.sku, shownOf(product)]));
}

function shownOf({ history }: SandboxProduct) {
  const price = history.price.at(-1);
  const stocks = Object.fromEntries(history.stock.map(({ clientId, stock }) => [clientId, stock]));
  return { price: price?.price, specialPrice: price?.specialPrice, ...stocks };
}

/** Runs the verifier; returns how many requests it sent. */
async function verify(): Promise<number> {
  const before = (await controls.requests()).requests.at(-1)?.sequence ?? 0;
  await run.local.triggerSchedule('ListingVerifier');
  const { requests } = await controls.requests(before);
  // A lane may read the store's warehouses meanwhile.
  const isRead = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && path.startsWith('/partner/stores/products');
  const count = requests.filter((request) => isRead(request) && request.sequence > before).length;
  reads += count;
  return count;
}

/** Runs the verifier until a whole cycle that begins now has ended. */
async function verifyAll(): Promise<void> {
  await makeCycleDue();
  const begun = Date.now();
  await until(
    'a whole cycle',
    async () => {
      expect(await verify()).toBeLessThanOrEqual(CALLS_PER_RUN);
      const { lastCycle } = (await api('GET', '/drift')).body.verification;
      return lastCycle !== undefined && Date.parse(lastCycle.startedAt) > begun;
    },
    { withinMs: WITHIN.withinMs },
  );
}

/** As if the last cycle had begun long ago. The first one is due. */
async function makeCycleDue(): Promise<void> {
  const { table, key } = { table: 'Verifications', key: { storeClientId: store } };
  const last = (await getItem(run, { table, key }))?.last as { startedAt: string } | undefined;
  if (last === undefined) return;
  const startedAt = new Date(Date.now() - CYCLE_HOURS * 3_600_000).toISOString();
  await setAttribute(run, { table, key, name: 'last', value: { ...last, startedAt } });
}

/** The products that the partner has a price and stock of: all but the last. */
const listed = numbers(PRODUCTS - 1);
const wanted = (number: number) => ({
  price: 50_000 + number,
  specialPrice: null,
  'wh-1': 100 + number,
  'wh-2': warehouseStock(number),
});
const isWanted = (shown: Awaited<ReturnType<typeof live>>, some: readonly number[]) =>
  some.every(
    (number) =>
      JSON.stringify(Object.entries(shown.get(skuOf(number)) ?? {}).sort()) ===
      JSON.stringify(Object.entries(wanted(number)).sort()),
  );

async function makeLive(): Promise<void> {
  const items = (itemOf: (number: number) => object) =>
    listed.map((number) => ({ sku: skuOf(number), ...itemOf(number) }));
  await send(
    'price.changed',
    1,
    items((number) => ({ price: 50_000 + number, specialPrice: null })),
  );
  await send(
    'stock.changed',
    1,
    items((number) => ({ stock: 100 + number })),
  );
  const ofOne = (number: number) => [{ clientId: 'wh-2', stock: warehouseStock(number) }];
  await send(
    'stock.changed',
    2,
    items((number) => ({ warehouses: ofOne(number) })),
  );
  await settle((shown) => isWanted(shown, listed));
}

/** Until the values are live, nothing waits, and what was accepted last is older than the grace time. */
async function settle(isLive: (shown: Awaited<ReturnType<typeof live>>) => boolean): Promise<void> {
  await until(
    'the values',
    async () => {
      await run.local.triggerSchedule('LaneWaker');
      return isLive(await live());
    },
    WITHIN,
  );
  await run.local.idle({ timeoutMs: WITHIN.withinMs });
  const end = Date.now() + 1_500;
  await until('the end of the grace time', () => Date.now() > end);
}

const findings = async (detailType: string) =>
  (await tap.events())
    .filter((event) => event['detail-type'] === detailType)
    .map(
      ({ detail }) =>
        detail as {
          target: string;
        },
    );

/** Each kind changes a product behind the connector's back. */
const kinds: Readonly<Record<string, (sku: string, number: number) => Promise<unknown>>> = {
  'an edited price': (sku) => controls.editProduct(store, sku, { price: 1 }),
  'an added special price': (sku) => controls.editProduct(store, sku, { specialPrice: 1 }),
  'an edited stock of all warehouses': (sku) => controls.editProduct(store, sku, { stock: 9_999 }),
  'an edited stock of one warehouse': (sku) =>
    controls.editProduct(store, sku, { warehouses: [{ clientId: 'wh-2', stock: 9_998 }] }),
  'a lost price': (sku, number) => controls.editProduct(store, sku, { price: simpleProduct(number).price }),
  'a lost stock': (sku, number) => controls.editProduct(store, sku, { stock: simpleProduct(number).stock }),
};

test('what differs at the marketplace is found and repaired within the budget of calls, while changes pass, and what others set again and again is left alone', {
  timeout: 120_000 + 400 * PRODUCTS,
}, async () => {
  const drifted = numbers(DRIFTS);
  const changes = Object.values(kinds);
  for (const number of drifted) await changes[number % changes.length]?.(skuOf(number), number);
  const fought = drifted.filter((number) => number % changes.length === 0).slice(0, CONTESTS);
  const fight = async (price: number) => {
    for (const number of fought) await controls.editProduct(store, skuOf(number), { price });
  };
  const removed = skuOf(DRIFTS + 1);
  await controls.removeProduct(store, removed);
  // A change that the marketplace takes without effect, and others that pass meanwhile.
  const falsely = DRIFTS + 2;
  await controls.addFault({ path: '/partner/stores/inventory', fault: { ignored: true } });
  await send('stock.changed', 3, [{ sku: skuOf(falsely), stock: 77 }]);
  await until('the change without effect', async () => {
    const { requests } = await controls.requests();
    return requests.some(({ fault }) => fault !== null);
  });
  const passing = numbers(5, DRIFTS + 3);
  await send(
    'price.changed',
    4,
    passing.map((number) => ({ sku: skuOf(number), price: 60_000 + number })),
  );
  await settle((shown) => passing.every((number) => shown.get(skuOf(number))?.price === 60_000 + number));

  await hasEnded('drift injected');
  const updatedAt = { name: 'updatedAt', value: '2020-01-01T00:00:00.000Z' };
  await setAttribute(run, { table: 'Stores', key: { storeClientId: store }, ...updatedAt });
  alarms.nextPeriod();
  await verifyAll();
  expect([alarms.isRaised('DriftRate'), alarms.isRaised('OldestCycleAge')]).toEqual([true, true]);
  await hasEnded('first cycle');
  const falseTarget = `sku:${skuOf(falsely)}`;
  const found = new Set((await findings('listing.drifted')).map(({ target }) => target));
  expect([...found].sort()).toEqual([...drifted.map((number) => `sku:${skuOf(number)}`), falseTarget].sort());
  expect(await findings('listing.missing')).toEqual([]);
  const left = listed.filter(
    (number) => number !== DRIFTS + 1 && number !== falsely && !passing.includes(number),
  );
  await settle((shown) => isWanted(shown, left) && shown.get(skuOf(falsely))?.['wh-1'] === 77);
  expect((await live()).get(skuOf(passing[0] ?? 0))?.price).toBe(60_000 + (passing[0] ?? 0));

  await hasEnded('drift repaired');
  await fight(2);
  alarms.nextPeriod();
  await verifyAll();
  await hasEnded('second cycle');
  expect(await findings('listing.missing')).toEqual([expect.objectContaining({ target: `sku:${removed}` })]);
  expect([alarms.isRaised('DriftRate'), alarms.isRaised('OldestCycleAge')]).toEqual([false, false]);
  const targetsOf = (some: readonly number[]) => some.map((number) => `sku:${skuOf(number)}`);
  const repaired = new Set((await findings('listing.repaired')).map(({ target }) => target));
  expect([...repaired].sort()).toEqual([...found].filter((one) => !targetsOf(fought).includes(one)).sort());

  for (const price of [3, 4]) {
    await settle((shown) => isWanted(shown, fought));
    await fight(price);
    await verifyAll();
  }
  await hasEnded('contested');
  const contested = (await findings('listing.contested')).map(({ target }) => target);
  expect(contested.sort()).toEqual(targetsOf(fought).sort());
  await verifyAll();
  await hasEnded('cycle after contested');
  await run.local.triggerSchedule('LaneWaker');
  const shown = await live();
  expect(fought.map((number) => shown.get(skuOf(number))?.price)).toEqual(fought.map(() => 4));
  expect(isWanted(shown, without(left, fought))).toBe(true);

  const { body } = await api('GET', '/drift?limit=1000');
  expect(body.entries).toHaveLength(fought.length);
  for (const entry of body.entries) expect(entry).toMatchObject({ kind: 'contested', live: 4 });
  expect(body.verification).toMatchObject({
    lastCycle: { listings: PRODUCTS - 1, verified: PRODUCTS - 2, unknownProducts: 1, missingProducts: 1 },
    verified: { hours: 24 },
  });
  const missing = await api('GET', '/drift?kind=missing-product&limit=1000');
  expect(missing.body.entries).toEqual([expect.objectContaining({ target: `sku:${removed}` })]);
  const unknown = await api('GET', '/drift?kind=unknown-product&limit=1000');
  expect(unknown.body.entries).toEqual([expect.objectContaining({ sku: skuOf(PRODUCTS) })]);
});

test('a value that someone else sets again after each repair waits for a person, and is left alone until then', {
  timeout: 240_000 + 120 * PRODUCTS,
}, async () => {
  const sku = skuOf(1);
  const priceOf = async () => (await live()).get(sku)?.price;
  for (let repairs = 0; repairs <= 3; repairs += 1) {
    await controls.editProduct(store, sku, { price: 3 + repairs });
    await verifyAll();
    if (repairs < 3) await settle((shown) => shown.get(sku)?.price === 50_001);
  }
  const target = `sku:${sku}`;
  const call = `POST /stores/${store}/drift/repair {"targets":["${target}"]}`;
  const contests = async () => {
    const { attention } = (await run.partner.callApi('GET', '/attention?limit=1000')).body;
    return attention.filter((one: { call: string }) => one.call === call);
  };
  expect(await contests()).toEqual([
    expect.objectContaining({ kind: 'listing-contested', storeClientId: store }),
  ]);
  const ofIt = (await findings('listing.contested')).filter((one) => one.target === target);
  expect(ofIt).toHaveLength(1);
  await verifyAll();
  expect(await priceOf()).toBe(6);

  expect((await api('POST', '/drift/repair', { targets: [target] })).status).toBe(202);
  await settle((shown) => shown.get(sku)?.price === 50_001);
  await verifyAll();
  const { entries } = (await api('GET', '/drift?limit=1000')).body;
  expect(entries.filter((one: { target: string }) => one.target === target)).toEqual([]);
  expect(await contests()).toEqual([]);
});

test('the drift of a store without repair is reported and stays', {
  timeout: 120_000 + 60 * PRODUCTS,
}, async () => {
  const sku = skuOf(2);
  expect((await run.partner.callApi('PUT', `/stores/${store}`, { repair: false })).body.repair).toBe(false);
  await controls.editProduct(store, sku, { price: 9 });
  await verifyAll();
  await verifyAll();
  const { entries } = (await api('GET', '/drift?kind=drifted')).body;
  expect(entries).toEqual([
    {
      kind: 'drifted',
      target: `sku:${sku}`,
      register: 'price',
      wanted: 50_002,
      live: 9,
      since: expect.any(String),
    },
  ]);
  expect((await live()).get(sku)?.price).toBe(9);
});

test('a list of what should be live is compared, and only what differs is sent', {
  timeout: 120_000,
}, async () => {
  const [equal, other] = [skuOf(1), skuOf(2)];
  const priceOf = async (sku: string) => (await live()).get(sku)?.price ?? 0;
  const items = [
    { sku: equal, price: await priceOf(equal) },
    { sku: other, price: (await priceOf(other)) + 1 },
    { sku: 'NO-SUCH', price: 1 },
    { sku: other, price: -1 },
  ];
  const looked = await api('POST', '/reconcile', { items });
  expect(looked.body).toMatchObject({
    differences: [{ target: `sku:${other}`, register: 'price', wanted: items[1]?.price }],
    equal: [`sku:${equal}`],
    missing: ['sku:NO-SUCH'],
    unread: [],
    invalid: [{ index: 3, field: 'price' }],
    sent: 0,
  });
  const { body } = await api('POST', '/reconcile', { items, apply: true, version: 1_000 });
  expect(body).toMatchObject({ sent: 1 });
  await until('the price', async () => (await priceOf(other)) === items[1]?.price, WITHIN);
});
