import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import type { SandboxControls } from '../../local/run/sandbox-controls.ts';
import { until } from '../../local/run/until.ts';

import { importProducts } from './support/import-products.ts';
import { setAttribute } from './support/set-attribute.ts';

const sku = skuOf(1);

let run: ConnectorRun;
let controls: SandboxControls;

beforeAll(async () => {
  run = await startQuickRun({ stores: {}, schedules: 'manual' });
  if (run.controls === undefined) throw new Error('these tests need the sandbox');
  controls = run.controls;
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

const reference = 'customer 4711';
const begin = async () => {
  const { status, body } = await run.partner.callApi('POST', '/stores/onboarding', { reference });
  expect(status).toBe(201);
  return body as { sid: string; onboardUrl: string };
};

/** The seller agrees; returns the address of the callback. */
const agree = async (storeClientId: string) => {
  const { sid } = await begin();
  return new URL((await controls.completeOnboarding(sid, storeClientId)).location);
};

const onboard = async (storeClientId: string) => {
  const answer = await fetch(await agree(storeClientId));
  expect(answer.status).toBe(200);
};

const stateOf = async (storeClientId: string) => {
  const { status, body } = await run.partner.callApi('GET', `/stores/${storeClientId}`);
  return status === 200 ? body.state : status;
};

const pushStock = (storeClientId: string, version: number, stock: number) =>
  run.partner.putEvents([
    { detailType: 'stock.changed', detail: { storeClientId, version, items: [{ sku, stock }] } },
  ]);

const stockAtMarketplace = async (storeClientId: string) =>
  (await controls.products(storeClientId)).products.find((product) => product.sku === sku)?.stock;

describe('an onboarding', () => {
  test('leads from a link for the seller to the first accepted stock update', async () => {
    await onboard('shop-1');
    expect(await stateOf('shop-1')).toBe('connected');
    const { body } = await run.partner.callApi('GET', '/stores/shop-1');
    expect(body).toMatchObject({ reference, sid: expect.any(String) });
    await importProducts(run, 'shop-1', 1);
    await pushStock('shop-1', 1, 17);
    await until('stock 17', async () => (await stockAtMarketplace('shop-1')) === 17);
  });

  test('shows its result to the seller on a page without the token', async () => {
    const callback = await agree('shop-2');
    const led = await fetch(callback, { redirect: 'manual' });
    expect(led.status).toBe(303);
    const location = led.headers.get('location') ?? '';
    expect(location).not.toContain('token');
    for (const answer of [led, await fetch(new URL(location, callback))]) {
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    const page = await fetch(new URL(location, callback));
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toMatch(/<html lang="en">[\s\S]*<title>.+<\/title>[\s\S]*<main><h1>/);
    expect(html).not.toContain('shop-2');
    const token = callback.searchParams.get('storeToken') ?? '';
    const lines = run.local.functions.logs('OnboardingCallback').map((line) => JSON.stringify(line));
    expect(lines.filter((line) => line.includes(token))).toEqual([]);
  });
});

describe('an onboarding callback', () => {
  const connectsNothing = async (callback: URL, status: number, storeClientId: string) => {
    expect((await fetch(callback)).status).toBe(status);
    expect(await stateOf(storeClientId)).toBe(404);
  };

  test('that is replayed is refused, and a changed token in it is not used', async () => {
    const callback = await agree('shop-3');
    await fetch(callback);
    callback.searchParams.set('storeClientId', 'shop-4');
    await connectsNothing(callback, 409, 'shop-4');
    expect(await stateOf('shop-3')).toBe('connected');
  });

  test.each(['nonce', 'sid', 'storeToken'])('with a forged %s is refused', async (parameter) => {
    const callback = await agree('shop-5');
    callback.searchParams.set(parameter, 'forged');
    await connectsNothing(callback, 403, 'shop-5');
  });

  test.each(['nonce', 'sid', 'storeToken', 'storeClientId'])(
    'without its %s is refused',
    async (parameter) => {
      const callback = await agree('shop-5');
      callback.searchParams.delete(parameter);
      await connectsNothing(callback, 403, 'shop-5');
    },
  );

  test('with a parameter that is given twice is refused, and may be repeated as it was', async () => {
    const callback = await agree('shop-9');
    const twice = new URL(callback);
    twice.searchParams.append('storeToken', twice.searchParams.get('storeToken') ?? '');
    await connectsNothing(twice, 403, 'shop-9');
    expect((await fetch(callback)).status).toBe(200);
  });

  test('is refused when the nonce belongs to another session', async () => {
    const [one, other] = [await agree('shop-6'), await agree('shop-7')];
    one.searchParams.set('nonce', other.searchParams.get('nonce') ?? '');
    await connectsNothing(one, 403, 'shop-6');
    expect((await fetch(other)).status).toBe(200);
  });

  test('is refused when its session has expired', async () => {
    const callback = await agree('shop-8');
    const nonce = callback.searchParams.get('nonce') ?? '';
    await setAttribute(run, { table: 'Sessions', key: { nonce }, name: 'validUntil', value: 1 });
    await connectsNothing(callback, 410, 'shop-8');
  });
});

describe('a store after unbinding', () => {
  test('keeps its waiting work, which drains when it is onboarded again', async () => {
    await onboard('shop-9');
    await importProducts(run, 'shop-9', 1);
    const { status, body } = await run.partner.callApi('POST', '/stores/shop-9/unbind');
    expect([status, body.state]).toEqual([200, 'unbound']);
    expect((await run.partner.callApi('POST', '/stores/shop-9/unbind')).status).toBe(200);
    await pushStock('shop-9', 1, 23);
    await run.local.idle();
    expect(await stockAtMarketplace('shop-9')).not.toBe(23);
    await onboard('shop-9');
    await run.local.triggerSchedule('LaneWaker');
    await until('stock 23', async () => (await stockAtMarketplace('shop-9')) === 23);
  });

  test('loses its waiting work when that is discarded, and accepts new work when it is onboarded again', async () => {
    await onboard('shop-12');
    await importProducts(run, 'shop-12', 1);
    await run.partner.callApi('POST', '/stores/shop-12/unbind');
    await pushStock('shop-12', 1, 23);
    await run.local.idle();
    const discard = await run.partner.callApi('POST', '/stores/shop-12/discard', { what: 'everything' });
    expect(discard).toMatchObject({ status: 200, body: { discarded: 1, done: true } });
    await onboard('shop-12');
    await run.local.triggerSchedule('LaneWaker');
    await run.local.idle();
    const { body } = await run.partner.callApi('GET', `/stores/shop-12/listings?target=sku:${sku}`);
    expect(body.registers.stock).toMatchObject({ desired: { value: 23 }, rejected: { code: 'DISCARDED' } });
    expect(await stockAtMarketplace('shop-12')).not.toBe(23);
    await pushStock('shop-12', 2, 24);
    await until('stock 24', async () => (await stockAtMarketplace('shop-12')) === 24);
  });

  test('is unbound also when the marketplace had already unbound it', async () => {
    await onboard('shop-10');
    await controls.addFault({ path: '/partner/stores/shop-10/unbind', fault: { drop: 'after' } });
    expect((await run.partner.callApi('POST', '/stores/shop-10/unbind')).status).toBe(504);
    expect((await run.partner.callApi('POST', '/stores/shop-10/unbind')).body.state).toBe('unbound');
  });
});

describe('a store whose token is refused', () => {
  test('is suspended, and drains when it gets a new token', async () => {
    await onboard('shop-11');
    await importProducts(run, 'shop-11', 1);
    await controls.setStore('shop-11', { token: 'rotated' });
    await pushStock('shop-11', 1, 31);
    await until('the suspension', async () => (await stateOf('shop-11')) === 'suspended');
    expect((await run.partner.callApi('POST', '/stores/shop-11/resume')).status).toBe(422);
    const { status } = await run.partner.callApi('PUT', '/stores/shop-11', { storeToken: 'rotated' });
    expect(status).toBe(200);
    await run.local.triggerSchedule('LaneWaker');
    await until('stock 31', async () => (await stockAtMarketplace('shop-11')) === 31);
  });
});
