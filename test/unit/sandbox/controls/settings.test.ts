import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../../../sandbox/index.ts';
import { call, control } from '../partner.ts';
import { externalId, useSandbox } from '../sandbox.ts';

const LIST = 'GET /partner/stores/warehouses';

describe('limits', () => {
  let now = Date.now();
  const sandbox = useSandbox({ clock: { now: () => now } });
  const statusOf = async (store = 'store-0wh', partner = 'sandbox-partner') =>
    (await sandbox.call(LIST, { store, partner, timestamp: now })).status;

  it('answer 429 beyond the requests of a sliding second, refused ones not counted', async () => {
    await sandbox.control('PUT /limits', { requestsPerSecond: 2 });
    const start = now;
    expect(await statusOf()).toBe(200);
    now = start + 600;
    expect(await statusOf()).toBe(200);
    now = start + 999;
    const refused = await sandbox.call(LIST, { timestamp: now });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('1');
    now = start + 1_000;
    expect(await statusOf()).toBe(200);
    now = start + 1_599;
    expect(await statusOf()).toBe(429);
    now = start + 1_600;
    expect(await statusOf()).toBe(200);
  });

  it('count all stores of a partner together, and each partner by itself', async () => {
    await sandbox.control('PUT /limits', { requestsPerSecond: 2 });
    expect([await statusOf('store-0wh'), await statusOf('store-1wh'), await statusOf('store-2wh')]).toEqual([
      200, 200, 429,
    ]);
    expect(await statusOf('store-other', 'other-partner')).toBe(200);
  });

  it('answer VAL_001 beyond maxItems', async () => {
    await sandbox.control('PUT /limits', { maxItems: 2 });
    const send = (count: number) =>
      sandbox.call('POST /partner/stores/products/deletions', {
        timestamp: now,
        body: { ids: Array.from({ length: count }, (_, index) => externalId(index)) },
      });
    expect((await send(2)).status).toBe(200);
    const { status, json } = await send(3);
    expect([status, json.error.code]).toEqual([400, 'VAL_001']);
    expect(json.error.details.context.validationErrors).toEqual({ ids: 'must have at most 2 entries' });
  });
});

describe('the clock', () => {
  const sandbox = useSandbox();

  it('shifts checks and answers', async () => {
    await sandbox.control('PUT /clock', { offsetMs: 3_600_000 });
    const refused = await sandbox.call(LIST);
    expect(refused.json.error.code).toBe('AUTH_003');
    const { currentTime } = refused.json.error.details.context;
    const accepted = await sandbox.call(LIST, { timestamp: currentTime });
    expect(accepted.status).toBe(200);
    expect(Date.parse(accepted.json.meta.timestamp)).toBeGreaterThanOrEqual(currentTime);
  });
});

describe('reset', () => {
  const sandbox = useSandbox();

  it('goes back to the fixtures', async () => {
    await sandbox.seed('store-0wh', { sku: 'A' });
    await sandbox.control('PUT /stores/store-0wh', { blocked: true });
    await sandbox.control('PUT /limits', { maxItems: 1 });
    await sandbox.control('PUT /clock', { offsetMs: 3_600_000 });
    await sandbox.control('POST /faults', { fault: { status: 500 } });
    expect((await sandbox.control('POST /reset')).json).toEqual({ ok: true });
    expect(await sandbox.live('store-0wh')).toEqual([]);
    expect((await sandbox.call(LIST)).status).toBe(200);
    expect((await sandbox.control('GET /requests')).json.requests).toHaveLength(1);
  });
});

describe('a seed', () => {
  it('makes the same identifiers in every run', async () => {
    const run = async () => {
      const sandbox = await startSandbox({ seed: 7, applyDelayMs: 1 });
      const { json } = await call(sandbox.url, 'POST /partner/stores/catalog/sync', {
        body: { products: [{ sku: 'A' }] },
      });
      await sandbox.idle();
      const { json: live } = await control(sandbox.url, 'GET /stores/store-0wh/products');
      await sandbox.close();
      return [json.requestId, json.data.batchId, live.products[0].id];
    };
    expect(await run()).toEqual(await run());
  });
});

describe('a control', () => {
  const sandbox = useSandbox();

  it('says that the sandbox is there', async () => {
    expect((await sandbox.control('GET /health')).json).toEqual({ ok: true });
  });

  it.each([
    ['PUT /webhook', { url: 'nowhere' }],
    ['PUT /limits', { requestsPerSecond: 0 }],
    ['PUT /clock', {}],
    ['PUT /clock', { offsetMs: 9e15 }],
    ['POST /faults', { fault: { contentType: 'text/plain\n' } }],
    ['POST /orders', { storeClientId: 'store-0wh', subStatus: 'lost' }],
  ])('refuses %s %j', async (line, body) => {
    const { status, json } = await sandbox.control(line, body);
    expect([status, json.error.code]).toEqual([400, 'CONTROL_REFUSED']);
    expect(json.error.message).toMatch(/^[a-z]\S+: \S/i);
  });

  it.each([
    'PUT /stores/store-nowhere',
    'GET /orders/unknown',
    'GET /stores/store-nowhere/products',
    'GET /nothing',
  ])('answers 404 for %s', async (line) => {
    expect((await sandbox.control(line)).status).toBe(404);
  });
});
