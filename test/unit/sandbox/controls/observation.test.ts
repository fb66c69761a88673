import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { call } from '../partner.ts';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();

async function inFlight(): Promise<number[]> {
  const { json } = await sandbox.control('GET /requests');
  return json.requests.map((entry: { inFlight: number }) => entry.inFlight);
}

describe('the request log', () => {
  it('shows each request of the API in the order of arrival', async () => {
    const body = {
      items: [
        { sku: 'A', stock: 1 },
        { sku: 'B', stock: 1 },
      ],
    };
    await sandbox.call('PATCH /partner/stores/inventory', { body });
    await sandbox.call('GET /partner/stores/products/sku/a%20b?x=1?y=2', { store: 'store-1wh' });
    await sandbox.call('GET /partner/stores/warehouses', { secretKey: 'wrong' });
    await sandbox.control('GET /health');
    const { json } = await sandbox.control('GET /requests');
    expect(json.requests).toEqual([
      {
        sequence: 1,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        method: 'PATCH',
        path: '/partner/stores/inventory',
        query: '',
        partnerClientId: 'sandbox-partner',
        storeClientId: 'store-0wh',
        items: 2,
        status: 200,
        errorCode: null,
        bodyHash: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
        inFlight: 1,
        fault: null,
      },
      expect.objectContaining({
        sequence: 2,
        path: '/partner/stores/products/sku/a%20b',
        query: 'x=1?y=2',
        storeClientId: 'store-1wh',
        items: 0,
        status: 404,
        errorCode: 'PRD_014',
      }),
      expect.objectContaining({ sequence: 3, status: 401, errorCode: 'AUTH_010' }),
    ]);
  });

  it('shows the fault that a request met', async () => {
    const fault = { status: 503, code: 'SYS_DEP_503' };
    await sandbox.control('POST /faults', { fault });
    await sandbox.call('GET /partner/stores/warehouses');
    await sandbox.call('GET /partner/stores/warehouses');
    const { json } = await sandbox.control('GET /requests');
    expect(json.requests.map(({ fault: met }: { fault: unknown }) => met)).toEqual([fault, null]);
  });

  it('shows how many requests of the partner were in flight when one arrived', async () => {
    await sandbox.control('POST /faults', { times: 2, fault: { delayMs: 60_000 } });
    const caller = new AbortController();
    const hang = () => call(sandbox.url, 'GET /partner/stores/warehouses', { signal: caller.signal });
    const hanging = Promise.allSettled([hang(), hang()]);
    await expect.poll(inFlight, { timeout: 10_000 }).toEqual([1, 2]);
    const other = { partner: 'other-partner', secretKey: 'other-partner-secret', store: 'store-other' };
    await sandbox.call('GET /partner/stores/warehouses', other);
    await sandbox.call('GET /partner/stores/warehouses');
    expect(await inFlight()).toEqual([1, 2, 1, 3]);
    caller.abort();
    await hanging;
  });

  it('counts no request whose caller has gone, or which was cut', async () => {
    await sandbox.control('POST /faults', { fault: { delayMs: 60_000 } });
    const caller = new AbortController();
    const hanging = call(sandbox.url, 'GET /partner/stores/warehouses', { signal: caller.signal });
    await expect.poll(inFlight, { timeout: 10_000 }).toEqual([1]);
    await sandbox.control('POST /faults', { fault: { drop: 'before' } });
    await expect(call(sandbox.url, 'GET /partner/stores/warehouses')).rejects.toThrow();
    caller.abort();
    await expect(hanging).rejects.toThrow();
    await expect
      .poll(
        async () => {
          await sandbox.call('GET /partner/stores/warehouses');
          return (await inFlight()).at(-1);
        },
        { timeout: 10_000 },
      )
      .toBe(1);
    expect((await inFlight()).slice(0, 2)).toEqual([1, 2]);
  });

  it('shows what came since a sequence number', async () => {
    for (let count = 0; count < 3; count += 1) await sandbox.call('GET /partner/stores/warehouses');
    const { json } = await sandbox.control('GET /requests?since=1');
    expect(json.requests.map(({ sequence }: { sequence: number }) => sequence)).toEqual([2, 3]);
  });
});

describe('the state of a store', () => {
  it('is all of its products, each variant with its own history', async () => {
    const items = [{ sku: 'V', price: 5, stock: 2 }];
    await sandbox.seed('store-2wh', { variants: { items } });
    const { json } = await sandbox.control('GET /stores/store-2wh/products');
    expect(json.storeClientId).toBe('store-2wh');
    expect(json.products[0].variants.items[0].history).toMatchObject({
      price: [{ price: 5, specialPrice: null, time: expect.any(String) }],
      stock: [
        { clientId: 'wh-1', stock: 2, time: expect.any(String) },
        { clientId: 'wh-2', stock: 2, time: expect.any(String) },
      ],
    });
  });
});

describe('the state of a store’s credentials', () => {
  const list = (token?: string) => sandbox.call('GET /partner/stores/warehouses', token ? { token } : {});

  it('can be blocked and unblocked', async () => {
    await sandbox.control('PUT /stores/store-0wh', { blocked: true });
    expect((await list()).status).toBe(403);
    await sandbox.control('PUT /stores/store-0wh', { blocked: false });
    expect((await list()).status).toBe(200);
  });

  it('can have another token', async () => {
    await sandbox.control('PUT /stores/store-0wh', { token: 'rotated' });
    expect((await list()).status).toBe(403);
    expect((await list('rotated')).status).toBe(200);
  });
});
