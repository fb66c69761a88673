import { describe, expect, it, vi } from 'vitest';
import { MarketplaceError, TransportError } from '../../../shared/marketplace/errors.ts';
import { verifySignature } from '../../../shared/marketplace/signing.ts';
import { keepDocument } from '../../doubles/kept-document.ts';
import { answer, clientAnswering, NOW, permitsGiving, refusal, STORE } from './fake-transport.ts';

const ITEMS = { items: [{ sku: 'A-1', stock: 5 }] };
const batch = () => answer(200, { success: true, data: { batchId: 'b-1' } });
const page = () =>
  answer(200, {
    success: true,
    data: [],
    pagination: { page: 1, limit: 50, total: 0, totalPages: 0, hasNext: false, hasPrev: false },
  });

describe('an attempt', () => {
  it('is signed over the exact bytes that are sent', async () => {
    const { client, sent } = clientAnswering([batch()]);
    await client.updateStocks(STORE, ITEMS);
    const [request] = sent;
    expect(request?.url).toBe('https://marketplace.example/api/v1/partner/stores/inventory');
    expect(Buffer.from(request?.body ?? []).toString()).toBe('{"items":[{"sku":"A-1","stock":5}]}');
    expect(request?.headers['content-type']).toBe('application/json');
    expect(
      verifySignature('sandbox-partner-secret', {
        method: 'PATCH',
        path: '/partner/stores/inventory',
        headers: request?.headers ?? {},
        body: request?.body,
      }),
    ).toBe(true);
  });

  it('is announced to the caller before its signature, and has that time as its timestamp', async () => {
    let now = NOW;
    const { client, sent } = clientAnswering([batch()], { clock: { now: () => now } });
    const onAttempt = vi.fn(async () => {
      expect(sent).toEqual([]);
      now += 1_000;
    });
    await client.updateStocks(STORE, ITEMS, { onAttempt });
    expect(onAttempt).toHaveBeenCalledExactlyOnceWith({ number: 1, signedAt: NOW });
    expect(sent[0]?.headers['x-timestamp']).toBe(String(NOW));
  });

  it('has a timeout that is shortened by the time since its signature', async () => {
    let now = NOW;
    const { client, sent } = clientAnswering([batch()], { clock: { now: () => now } });
    const onAttempt = async () => {
      now += 7_000;
    };
    await client.updateStocks(STORE, ITEMS, { onAttempt, timeoutMs: 20_000 });
    expect(sent[0]?.timeoutMs).toBe(13_000);
  });

  it('is not sent when its time ends before it could leave', async () => {
    let now = NOW;
    const release = vi.fn(async () => {});
    const { client, sent } = clientAnswering([], {
      clock: { now: () => now },
      permits: permitsGiving(release),
    });
    const onAttempt = async () => {
      now += 20_000;
    };
    const call = client.updateStocks(STORE, ITEMS, { onAttempt, timeoutMs: 20_000 });
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', outcome: 'not-sent', retryable: true });
    expect(sent).toEqual([]);
    expect(release).toHaveBeenCalledExactlyOnceWith({ code: 'TIMEOUT', unused: true });
  });

  it('is not sent when the caller can not store it', async () => {
    const { client, sent } = clientAnswering([]);
    const lost = new Error('lease lost');
    await expect(client.updateStocks(STORE, ITEMS, { onAttempt: () => Promise.reject(lost) })).rejects.toBe(
      lost,
    );
    expect(sent).toEqual([]);
  });

  it('is not started when the signal is already aborted', async () => {
    const onAttempt = vi.fn();
    const { client } = clientAnswering([]);
    const call = client.updateStocks(STORE, ITEMS, { signal: AbortSignal.abort(), onAttempt });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', outcome: 'not-sent' });
    expect(onAttempt).not.toHaveBeenCalled();
  });

  it('holds a permit and releases it with its outcome', async () => {
    const release = vi.fn(async () => {});
    const { client } = clientAnswering([refusal(429, 'RATE_LIMITED', undefined, { 'retry-after': '2' })], {
      permits: permitsGiving(release),
    });
    await expect(client.updateStocks(STORE, ITEMS)).rejects.toBeInstanceOf(MarketplaceError);
    expect(release).toHaveBeenCalledExactlyOnceWith({
      storeClientId: STORE.storeClientId,
      status: 429,
      retryAfterMs: 2_000,
      code: 'RATE_LIMITED',
    });
  });

  it('releases its permit as unsigned when it had no signature', async () => {
    const release = vi.fn(async () => {});
    const brands = answer(200, { data: [], meta: { page: 1, limit: 50, total: 0, totalPages: 0 } });
    const { client } = clientAnswering([brands], { permits: permitsGiving(release) });
    await client.searchBrands({ q: 'sh' });
    expect(release).toHaveBeenCalledExactlyOnceWith({ status: 200, unsigned: true });
  });

  it.each([
    ['nothing else', {}],
    ['a Retry-After of its operation', { 'retry-after': '7' }],
  ])(
    'whose operation depends on what is down asks no one else to wait, with %s in its answer',
    async (_, headers) => {
      const release = vi.fn(async () => {});
      const ended = vi.fn();
      const down = refusal(503, 'SYS_DEP_503', { operation: 'awb_generation' }, headers);
      const observer = { onSent: () => {}, onEnded: ended };
      const { client } = clientAnswering([down], { permits: permitsGiving(release), observer });
      const label = client.generateShippingLabel(STORE, { orderId: 'o-1' }, keepDocument);
      await expect(label).rejects.toMatchObject({ code: 'SYS_DEP_503' });
      expect(release).toHaveBeenCalledExactlyOnceWith({ elsewhere: true });
      expect(ended).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ status: 503 }));
    },
  );

  it('keeps its answer when the permit can not be released', async () => {
    const release = () => Promise.reject(new Error('table is away'));
    const { client } = clientAnswering([batch()], { permits: permitsGiving(release) });
    await expect(client.updateStocks(STORE, ITEMS)).resolves.toMatchObject({ batchId: 'b-1' });
  });
});

describe('AUTH_003 in an answer', () => {
  const late = () =>
    refusal(401, 'AUTH_003', {
      providedTimestamp: NOW,
      currentTime: new Date(NOW + 600_000).toISOString(),
      ageSeconds: 600,
    });

  it('corrects the clock to the marketplace’s and causes one retry, also of a write', async () => {
    const { client, sent } = clientAnswering([late(), batch(), batch()]);
    await client.updateStocks(STORE, ITEMS);
    await client.updateStocks(STORE, ITEMS);
    const stamps = sent.map(({ headers }) => Number(headers['x-timestamp']) - NOW);
    expect(stamps).toEqual([0, 600_000, 600_000]);
    expect(sent[0]?.headers['x-signature']).not.toBe(sent[1]?.headers['x-signature']);
  });

  it('is final the second time', async () => {
    const { client, sent } = clientAnswering([late(), late()]);
    const call = client.updateStocks(STORE, ITEMS);
    await expect(call).rejects.toMatchObject({
      code: 'AUTH_003',
      outcome: 'refused',
      retryable: false,
      context: { providedTimestamp: NOW, currentTime: NOW + 600_000, ageSeconds: 600 },
    });
    expect(sent).toHaveLength(2);
  });

  it.each([0, -1, 1e300, '2026'])(
    'with the absurd time %j does not spoil later calls',
    async (currentTime) => {
      const absurd = refusal(401, 'AUTH_003', { currentTime });
      const { client, sent } = clientAnswering([absurd, refusal(401, 'AUTH_003'), batch()]);
      await expect(client.updateStocks(STORE, ITEMS)).rejects.toMatchObject({ code: 'AUTH_003' });
      await client.updateStocks(STORE, ITEMS);
      expect(sent.at(-1)?.headers['x-timestamp']).toBe(String(NOW));
    },
  );

  it('is final at once without a time', async () => {
    const { client, sent } = clientAnswering([refusal(401, 'AUTH_003')]);
    await expect(client.updateStocks(STORE, ITEMS)).rejects.toMatchObject({ code: 'AUTH_003' });
    expect(sent).toHaveLength(1);
  });
});

describe.each(['AUTH_010', 'AUTH_011'])('%s', (code) => {
  it('causes one retry with a secret that is read again', async () => {
    const read = vi.fn(async (options?: { fresh?: boolean }) => (options?.fresh ? 'new' : 'old'));
    const { client, sent } = clientAnswering([refusal(401, code), batch()], { secretKey: { read } });
    await client.updateStocks(STORE, ITEMS);
    const [, second] = sent;
    const signed = { method: 'PATCH', path: '/partner/stores/inventory', headers: second?.headers ?? {} };
    expect(verifySignature('new', { ...signed, body: second?.body })).toBe(true);
  });

  it('is final the second time', async () => {
    const { client, sent } = clientAnswering([refusal(401, code), refusal(401, code)]);
    await expect(client.updateStocks(STORE, ITEMS)).rejects.toMatchObject({
      code,
      outcome: 'refused',
    });
    expect(sent).toHaveLength(2);
  });
});

it('a call reads the secret again only once, although it is refused with two codes', async () => {
  const { client, sent } = clientAnswering([refusal(401, 'AUTH_011'), refusal(401, 'AUTH_010')]);
  await expect(client.updateStocks(STORE, ITEMS)).rejects.toMatchObject({ code: 'AUTH_010' });
  expect(sent).toHaveLength(2);
});

describe('a retry', () => {
  const cut = () => new TransportError('connectionCut', 'other side closed', { sent: true });

  it('is made up to twice for a read, each after a jittered and growing wait', async () => {
    const { client, slept } = clientAnswering([cut(), refusal(503, 'SYS_DEP_503'), page()]);
    await client.listProducts(STORE);
    expect(slept).toEqual([100, 200]);
  });

  it('waits no longer because a refusal was corrected before', async () => {
    const { client, slept } = clientAnswering([refusal(401, 'AUTH_010'), cut(), page()]);
    await client.listProducts(STORE);
    expect(slept).toEqual([100]);
  });

  it('ends with the last failure of a read', async () => {
    const { client, sent } = clientAnswering([cut(), cut(), refusal(503, 'SYS_DEP_503')]);
    await expect(client.listProducts(STORE)).rejects.toMatchObject({ code: 'SYS_DEP_503' });
    expect(sent).toHaveLength(3);
  });

  it('waits at least for Retry-After', async () => {
    const limited = refusal(429, 'RATE_LIMITED', undefined, { 'retry-after': '3' });
    const { client, slept } = clientAnswering([limited, page()]);
    await client.listProducts(STORE);
    expect(slept).toEqual([3_100]);
  });

  it('after a long Retry-After is left to the caller', async () => {
    const { client } = clientAnswering([refusal(429, 'RATE_LIMITED', undefined, { 'retry-after': '60' })]);
    await expect(client.listProducts(STORE)).rejects.toMatchObject({ retryAfterMs: 60_000 });
  });

  it('is not made for a write by default', async () => {
    const { client, sent } = clientAnswering([refusal(503, 'SYS_DEP_503')]);
    await expect(client.updateStocks(STORE, ITEMS)).rejects.toMatchObject({
      retryable: true,
      outcome: 'refused',
    });
    expect(sent).toHaveLength(1);
  });

  it('is made for a write, on request, only when the first attempt surely had no effect', async () => {
    const { client, sent } = clientAnswering([refusal(503, 'SYS_DEP_503'), cut()], { maxAttempts: 3 });
    await expect(client.updateStocks(STORE, ITEMS)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(sent).toHaveLength(2);
  });

  it('is not made when the caller wants one attempt', async () => {
    const { client, sent } = clientAnswering([refusal(503, 'SYS_DEP_503'), page()]);
    await expect(client.listProducts(STORE, {}, { maxAttempts: 1 })).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });

  it('is numbered for the caller', async () => {
    const { client } = clientAnswering([cut(), page()]);
    const numbers: number[] = [];
    await client.listProducts(STORE, {}, { onAttempt: async ({ number }) => void numbers.push(number) });
    expect(numbers).toEqual([1, 2]);
  });

  it('is not made when the caller gives up before it', async () => {
    const sleep = () => Promise.reject(new Error('aborted'));
    const { client } = clientAnswering([cut()], { sleep });
    await expect(client.listProducts(STORE)).rejects.toMatchObject({ code: 'ABORTED', retryable: false });
  });
});

describe('a request that breaks a rule', () => {
  it('is not sent, and the error names the field', async () => {
    const { client, sent } = clientAnswering([]);
    const call = client.updateStocks(STORE, { items: [{ sku: 'A-1', id: 'no-uuid', stock: 1 }] });
    await expect(call).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      outcome: 'not-sent',
      context: { validationErrors: { 'items[0].id': expect.any(String) } },
    });
    expect(sent).toEqual([]);
  });

  it.each(['', '.', '..', '\ud800'])('with the path parameter %j is not sent', async (sku) => {
    const { client } = clientAnswering([]);
    await expect(client.getProductBySku(STORE, { sku })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      outcome: 'not-sent',
    });
  });

  it('with a line feed in its token is not sent', async () => {
    const { client } = clientAnswering([]);
    const call = client.listWarehouses({ ...STORE, storeToken: 'a\nb' });
    await expect(call).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });
});

describe('a path parameter', () => {
  it('is encoded, and signed in encoded form', async () => {
    const { client, sent } = clientAnswering([answer(200, { data: { id: 'p' } })]);
    await client.getProductBySku(STORE, { sku: 'A/B 鞋?%' });
    const [request] = sent;
    expect(request?.url).toBe(
      'https://marketplace.example/api/v1/partner/stores/products/sku/A%2FB%20%E9%9E%8B%3F%25',
    );
    const path = new URL(request?.url ?? '').pathname;
    const headers = request?.headers ?? {};
    expect(verifySignature('sandbox-partner-secret', { method: 'GET', path, headers })).toBe(true);
  });
});
