import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { keepDocument } from '../../../doubles/kept-document.ts';
import { given, newSku } from './products.ts';
import { errorOf, send, signed } from './raw-request.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const store = target.store('one');
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

describe('§1 envelopes', () => {
  it('a success has success, message, requestId, meta.timestamp and data', async () => {
    const { json } = await send(
      target,
      signed(target, { method: 'GET', path: '/partner/stores/warehouses', store }),
    );
    expect(json).toMatchObject({
      success: true,
      message: expect.any(String),
      requestId: expect.stringMatching(UUID),
      meta: { timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      data: expect.any(Array),
    });
  });

  it('an error has success, error.code, error.message and requestId', async () => {
    const path = `/partner/stores/products/${randomUUID()}`;
    const { json } = await send(target, signed(target, { method: 'GET', path, store }));
    expect(json).toMatchObject({
      success: false,
      error: { code: 'PRD_014', message: expect.any(String) },
      requestId: expect.stringMatching(UUID),
    });
  });

  it('pagination is present on the product list only', async () => {
    expect(await client.listProducts(store, { limit: 1 })).toHaveProperty('pagination');
    expect(await client.listWarehouses(store)).not.toHaveProperty('pagination');
  });
});

describe('§7 VAL_001', () => {
  it.each([
    ['a body that is no JSON', '{"items":'],
    ['a body of another shape', '{"items":{}}'],
    ['an empty list', '{"items":[]}'],
    ['a list that is missing', '{}'],
  ])('%s', async (_, body) => {
    const answer = await send(
      target,
      signed(target, { method: 'PATCH', path: '/partner/stores/inventory', store, body }),
    );
    expect(errorOf(answer).code).toBe('VAL_001');
  });

  it('maps field to message', async () => {
    const body = JSON.stringify({ redirectUri: 'no url' });
    const answer = await send(
      target,
      signed(target, { method: 'POST', path: '/partner/onboard/sessions', body }),
    );
    expect(errorOf(answer)).toMatchObject({
      code: 'VAL_001',
      details: { context: { validationErrors: { redirectUri: expect.any(String) } } },
    });
  });
});

describe.skipIf(!target.isSandbox)('§7 system failures', () => {
  const inventory = '/partner/stores/inventory';
  const label = '/partner/stores/orders/*/documents/shipping-label';
  const items = [{ sku: newSku(), stock: 1 }];
  const fault = (path: string, effect: object) => target.controls().addFault({ path, fault: effect });

  it('SYS_DEP_503 is retryable and means refused', async () => {
    const { orderId } = await target
      .controls()
      .createOrder({ storeClientId: store.storeClientId, subStatus: 'confirmed' });
    await fault(label, { status: 503, code: 'SYS_DEP_503' });
    const call = client.generateShippingLabel(store, { orderId }, keepDocument);
    await expect(call).rejects.toMatchObject({ code: 'SYS_DEP_503', retryable: true, outcome: 'refused' });
  });

  it('SYS_UPS_001 leaves the outcome of a write unknown', async () => {
    await fault(inventory, { status: 504, code: 'SYS_UPS_001' });
    const call = client.updateStocks(store, { items });
    await expect(call).rejects.toMatchObject({ code: 'SYS_UPS_001', retryable: true, outcome: 'unknown' });
  });

  it('SYS_UPS_001 on a read is retried', async () => {
    await fault('/partner/stores/products', { status: 504, code: 'SYS_UPS_001' });
    const attempts: number[] = [];
    const onAttempt = async ({ number }: { number: number }) => void attempts.push(number);
    await target.clientWith({ random: () => 0 }).listProducts(store, {}, { onAttempt });
    expect(attempts).toEqual([1, 2]);
  });

  it('a rate limit is retryable, means refused, and says how long to wait', async () => {
    await fault(inventory, { retryAfter: 7 });
    const call = client.updateStocks(store, { items });
    await expect(call).rejects.toMatchObject({
      status: 429,
      retryable: true,
      outcome: 'refused',
      retryAfterMs: 7_000,
    });
  });

  it.each([
    ['cut before the effect', { drop: 'before' }, 'CONNECTION_CUT', 1],
    ['cut after the effect', { drop: 'after' }, 'CONNECTION_CUT', 9],
    ['answered with a broken body', { malformed: true }, 'ANSWER_NOT_JSON', 9],
  ])('a write %s has an unknown outcome', async (_, effect, code, stock) => {
    const { sku, id } = await given(target, store, { stock: 1 });
    await fault(inventory, effect);
    const call = client.updateStocks(store, { items: [{ sku: sku ?? '', stock: 9 }] });
    await expect(call).rejects.toMatchObject({ code, outcome: 'unknown' });
    const live = () => client.getProduct(store, { productId: id }).then(({ data }) => data.stock);
    await expect.poll(live, { timeout: 5_000 }).toBe(stock);
  });

  it('a write that times out has an unknown outcome', async () => {
    await fault(inventory, { delayMs: 500 });
    const call = client.updateStocks(store, { items }, { timeoutMs: 50 });
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
  });
});
