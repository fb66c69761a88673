import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { errorOf, type RawRequest, type SignedRequest, send, signed } from './raw-request.ts';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const store = target.store('one');
const LIST: RawRequest = { method: 'GET', path: '/partner/stores/products?page=1&limit=1', store };
const STOCK: RawRequest = {
  method: 'PATCH',
  path: '/partner/stores/inventory',
  store,
  body: '{"items":[{"sku":"none-such","stock":1}]}',
};

async function codeOf(request: SignedRequest): Promise<string | undefined> {
  return errorOf(await send(target, request)).code;
}

function withHeaders(request: SignedRequest, headers: Record<string, string | undefined>): SignedRequest {
  const merged = Object.entries({ ...request.headers, ...headers }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...request, headers: Object.fromEntries(merged) as Record<string, string> };
}

describe('§5 headers', () => {
  it('a request with all five headers is accepted', async () => {
    expect(await codeOf(signed(target, STOCK))).toBeUndefined();
  });

  it('header names are case-insensitive on the wire', async () => {
    const request = signed(target, STOCK);
    const shouting = Object.entries(request.headers).map(([name, value]) => [name.toUpperCase(), value]);
    expect(await codeOf({ ...request, headers: Object.fromEntries(shouting) })).toBeUndefined();
  });

  it('the value of x-store-token is case-sensitive', async () => {
    const spoiled = { ...store, storeToken: store.storeToken.toUpperCase() };
    expect(await codeOf(signed(target, { ...LIST, store: spoiled }))).toBe('AUTH_014');
  });

  it.each([
    ['x-partner-client-id', 'AUTH_011'],
    ['x-timestamp', 'AUTH_003'],
    ['x-signature', 'AUTH_010'],
  ])('%s is required', async (name, code) => {
    const answer = await codeOf(withHeaders(signed(target, LIST), { [name]: undefined }));
    if (target.isSandbox) expect(answer).toBe(code);
    else expect(answer).toMatch(/^AUTH_/);
  });

  it('x-store-token is required with x-store-client-id', async () => {
    const { headers, ...request } = signed(target, LIST);
    const { 'x-store-token': _, ...withoutToken } = headers;
    expect(await codeOf({ ...request, headers: withoutToken })).toMatch(/^AUTH_/);
  });

  it('a store-scoped call is refused with the partner headers alone', async () => {
    const { store: _, ...partnerOnly } = LIST;
    expect(await codeOf(signed(target, partnerOnly))).toBe('AUTH_014');
  });
});

describe('§5 base string', () => {
  it('a signature over the path with its query string is wrong', async () => {
    const { headers } = signed(target, { ...LIST, path: '/partner/stores/products%3Fpage=1' });
    expect(await codeOf({ method: 'GET', path: LIST.path, headers })).toBe('AUTH_010');
  });

  it('query parameters are not signed', async () => {
    const request = signed(target, LIST);
    expect(await codeOf({ ...request, path: '/partner/stores/products?page=1&limit=2' })).toBeUndefined();
  });

  it('path parameters are signed in encoded form', async () => {
    const request = signed(target, { ...LIST, path: '/partner/stores/products/sku/no%2Fsuch%20%E9%9E%8B' });
    expect(await codeOf(request)).toBe('PRD_014');
  });

  it('a signature over the decoded path is wrong', async () => {
    const { headers } = signed(target, { ...LIST, path: '/partner/stores/products/sku/a b' });
    expect(await codeOf({ method: 'GET', path: '/partner/stores/products/sku/a%20b', headers })).toBe(
      'AUTH_010',
    );
  });

  it('the body is hashed as transmitted: whitespace counts', async () => {
    const request = signed(target, STOCK);
    expect(await codeOf({ ...request, body: `${request.body} ` })).toBe('AUTH_010');
  });

  it('the body is hashed as transmitted: field order counts', async () => {
    const request = signed(target, STOCK);
    const body = '{"items":[{"stock":1,"sku":"none-such"}]}';
    expect(await codeOf({ ...request, body })).toBe('AUTH_010');
  });

  it('a pretty-printed body is accepted when that body was hashed', async () => {
    const body = JSON.stringify(JSON.parse(STOCK.body ?? ''), null, 2);
    expect(await codeOf(signed(target, { ...STOCK, body }))).toBeUndefined();
  });

  it('unicode in a body is hashed as UTF-8', async () => {
    const body = '{"items":[{"sku":"鞋-é-👟","stock":1}]}';
    expect(await codeOf(signed(target, { ...STOCK, body }))).toBeUndefined();
  });

  it('a request without a body hashes the empty string', async () => {
    expect(await codeOf(signed(target, LIST))).toBeUndefined();
  });
});

describe('§5 verification rules', () => {
  it.each([-301, 301])('1: a timestamp %i seconds off is AUTH_003 with its context', async (seconds) => {
    const timestamp = Date.now() + seconds * 1000;
    const error = errorOf(await send(target, signed(target, { ...LIST, timestamp })));
    expect(error.code).toBe('AUTH_003');
    expect(Object.keys(error.details?.context ?? {})).toEqual(
      expect.arrayContaining(['providedTimestamp', 'currentTime', 'ageSeconds']),
    );
  });

  it.each([-290, 290])('1: a timestamp %i seconds off is accepted', async (seconds) => {
    const timestamp = Date.now() + seconds * 1000;
    expect(await codeOf(signed(target, { ...LIST, timestamp }))).toBeUndefined();
  });

  it('2: a signature for another path is AUTH_010', async () => {
    const { headers } = signed(target, LIST);
    expect(await codeOf({ method: 'GET', path: '/partner/stores/warehouses', headers })).toBe('AUTH_010');
  });

  it('2: a signature for another method is AUTH_010', async () => {
    const { headers } = signed(target, { ...LIST, method: 'POST', path: '/partner/stores/warehouses' });
    expect(await codeOf({ method: 'GET', path: '/partner/stores/warehouses', headers })).toBe('AUTH_010');
  });

  it('3: a header sent with another value than the signed one is AUTH_010', async () => {
    const request = signed(target, LIST);
    const timestamp = String(Number(request.headers['x-timestamp']) + 1);
    expect(await codeOf(withHeaders(request, { 'x-timestamp': timestamp }))).toBe('AUTH_010');
  });

  it('4: another body than the hashed one is AUTH_010', async () => {
    const request = signed(target, STOCK);
    expect(await codeOf({ ...request, body: request.body?.replace('1', '2') })).toBe('AUTH_010');
  });

  it('5: a signature by another secret is AUTH_010', async () => {
    expect(await codeOf(signed(target, { ...LIST, secretKey: 'no-such-secret' }))).toBe('AUTH_010');
  });

  it('6: an unknown partner client ID is AUTH_011', async () => {
    expect(await codeOf(signed(target, { ...LIST, partnerClientId: 'no-such-partner' }))).toBe('AUTH_011');
  });

  it('7: an unknown store is AUTH_014', async () => {
    const unknown = { ...store, storeClientId: 'no-such-store' };
    expect(await codeOf(signed(target, { ...LIST, store: unknown }))).toBe('AUTH_014');
  });

  it('7: a wrong store token is AUTH_014', async () => {
    const wrong = { ...store, storeToken: 'no-such-token' };
    expect(await codeOf(signed(target, { ...LIST, store: wrong }))).toBe('AUTH_014');
  });

  it.skipIf(!target.isSandbox)("7: a blocked store and another partner's store are AUTH_014", async () => {
    for (const storeClientId of ['store-blocked', 'store-other']) {
      const other = { storeClientId, storeToken: `token-${storeClientId}` };
      expect(await codeOf(signed(target, { ...LIST, store: other }))).toBe('AUTH_014');
    }
  });
});

describe.skipIf(!target.isSandbox)('§5 the client under authentication failures', () => {
  afterEach(() => target.controls().setClock(0));

  it('corrects its clock after AUTH_003 and continues', async () => {
    await target.controls().setClock(3_600_000);
    const signedAt: number[] = [];
    const onAttempt = async (attempt: { signedAt: number }) => void signedAt.push(attempt.signedAt);
    const client = target.clientWith({});
    await client.listWarehouses(store, { onAttempt });
    await client.listWarehouses(store, { onAttempt });
    expect(signedAt).toHaveLength(3);
  });

  it('reads a rotated secret after AUTH_010', async () => {
    const read = async (options?: { fresh?: boolean }) =>
      options?.fresh ? target.secretKey : 'rotated-away';
    const client = target.clientWith({ secretKey: { read } });
    await expect(client.listWarehouses(store)).resolves.toMatchObject({ success: true });
  });

  it('makes a new timestamp and signature on a retry (rule 8)', async () => {
    await target.controls().addFault({ path: '/partner/stores/warehouses', fault: { drop: 'before' } });
    const sent: (string | undefined)[] = [];
    let now = Date.now();
    const client = target.clientWith({ clock: { now: () => now++ }, random: () => 0 });
    await client.listWarehouses(store, {
      onAttempt: async ({ signedAt }) => void sent.push(String(signedAt)),
    });
    expect(new Set(sent).size).toBe(2);
  });
});
