import { describe, expect, it } from 'vitest';
import { externalId, useSandbox } from '../sandbox.ts';

const LIST = 'GET /partner/stores/warehouses';
const sandbox = useSandbox();

async function codeOf(options: Parameters<typeof sandbox.call>[1], line = LIST): Promise<[number, string]> {
  const { status, json } = await sandbox.call(line, options);
  return [status, json.error?.code];
}

describe('what is checked', () => {
  it('accepts a correctly signed request, with the standard envelope', async () => {
    const { status, json } = await sandbox.call(LIST);
    expect(status).toBe(200);
    expect(json).toMatchObject({ success: true, message: expect.any(String), data: [] });
    expect(json.meta.timestamp).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(json.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('signs the path without its query string', async () => {
    expect((await sandbox.call(`${LIST}?page=1&q=a%20b`)).status).toBe(200);
  });

  it.each(['a/b', 'ä ö', '100%', 'a+b', 'x?y#z', '%2F'])('signs path parameters as sent: %s', async (sku) => {
    await sandbox.seed('store-0wh', { sku, name: 'named' });
    const { json } = await sandbox.call(`GET /partner/stores/products/sku/${encodeURIComponent(sku)}`);
    expect(json.data).toMatchObject({ sku, name: 'named' });
  });

  it('refuses a wrong secret key with AUTH_010', async () => {
    expect(await codeOf({ secretKey: 'wrong' })).toEqual([401, 'AUTH_010']);
  });

  it('refuses a body other than the signed one with AUTH_010', async () => {
    const body = { items: [{ sku: 'A', stock: 1 }] };
    const sentBody = '{"items":[{"sku":"A","stock":2}]}';
    expect(await codeOf({ body, sentBody }, 'PATCH /partner/stores/inventory')).toEqual([401, 'AUTH_010']);
  });

  it('refuses a signature without its prefix, or none, with AUTH_010', async () => {
    expect(await codeOf({ headers: { 'x-signature': 'f'.repeat(64) } })).toEqual([401, 'AUTH_010']);
    expect(await codeOf({ headers: { 'x-signature': undefined } })).toEqual([401, 'AUTH_010']);
  });

  it('refuses a header changed after signing with AUTH_010', async () => {
    expect(await codeOf({ headers: { 'x-store-token': 'token-store-1wh' } })).toEqual([401, 'AUTH_010']);
  });

  it('refuses an unknown or missing partner with AUTH_011', async () => {
    expect(await codeOf({ partner: 'unknown' })).toEqual([401, 'AUTH_011']);
    expect(await codeOf({ headers: { 'x-partner-client-id': undefined } })).toEqual([401, 'AUTH_011']);
  });

  it('refuses an unknown or missing store and a wrong or missing token with AUTH_014', async () => {
    expect(await codeOf({ store: 'store-nowhere' })).toEqual([403, 'AUTH_014']);
    expect(await codeOf({ token: 'wrong' })).toEqual([403, 'AUTH_014']);
    expect(await codeOf({ store: null })).toEqual([403, 'AUTH_014']);
  });

  it('refuses a blocked store and a store of another partner with AUTH_014', async () => {
    expect(await codeOf({ store: 'store-blocked' })).toEqual([403, 'AUTH_014']);
    expect(await codeOf({ store: 'store-other' })).toEqual([403, 'AUTH_014']);
    expect(await codeOf({ store: 'store-0wh', partner: 'other-partner' })).toEqual([403, 'AUTH_014']);
  });

  it('lets the other partner into its own store', async () => {
    expect((await sandbox.call(LIST, { store: 'store-other', partner: 'other-partner' })).status).toBe(200);
  });
});

describe('the timestamp', () => {
  it.each([-301_000, 301_000])(
    'is refused %d ms off with AUTH_003 and the times in the context',
    async (offset) => {
      const timestamp = Date.now() + offset;
      const { status, json } = await sandbox.call(LIST, { timestamp });
      expect([status, json.error.code]).toEqual([401, 'AUTH_003']);
      const { providedTimestamp, currentTime, ageSeconds } = json.error.details.context;
      expect(providedTimestamp).toBe(timestamp);
      expect(Math.round((currentTime - timestamp) / 1000)).toBe(ageSeconds);
      expect(Math.sign(ageSeconds)).toBe(-Math.sign(offset));
    },
  );

  it.each([-295_000, 295_000])('is accepted %d ms off', async (offset) => {
    expect((await sandbox.call(LIST, { timestamp: Date.now() + offset })).status).toBe(200);
  });

  it('is refused with AUTH_003 when it is missing or no integer', async () => {
    expect(await codeOf({ timestamp: '2026-01-01T00:00:00Z' })).toEqual([401, 'AUTH_003']);
    expect(await codeOf({ headers: { 'x-timestamp': undefined } })).toEqual([401, 'AUTH_003']);
  });
});

describe('the order of checks', () => {
  it('names the partner before the time, the time before the signature, the signature before the store', async () => {
    const everythingWrong = { partner: 'unknown', timestamp: 1, secretKey: 'wrong', token: 'wrong' };
    expect(await codeOf(everythingWrong)).toEqual([401, 'AUTH_011']);
    expect(await codeOf({ ...everythingWrong, partner: 'sandbox-partner' })).toEqual([401, 'AUTH_003']);
    expect(await codeOf({ secretKey: 'wrong', token: 'wrong' })).toEqual([401, 'AUTH_010']);
    expect(await codeOf({ token: 'wrong' })).toEqual([403, 'AUTH_014']);
  });

  it('checks the signature before the body', async () => {
    const line = 'PATCH /partner/stores/inventory';
    expect(await codeOf({ secretKey: 'wrong', body: {} }, line)).toEqual([401, 'AUTH_010']);
    expect(await codeOf({ body: {} }, line)).toEqual([400, 'VAL_001']);
  });

  it('needs no headers for the brand search', async () => {
    const response = await fetch(`${sandbox.url}/api/v1/partner/reference/brands`);
    expect(response.status).toBe(200);
  });
});

describe('routes', () => {
  it('answers 404 NOT_FOUND for an unknown path and 405 for another method', async () => {
    expect(await codeOf({}, 'GET /partner/nowhere')).toEqual([404, 'NOT_FOUND']);
    expect(await codeOf({}, 'GET /partner/stores/inventory')).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });

  it('names the methods of a path in the answer 405', async () => {
    const { headers } = await sandbox.call(`DELETE /partner/stores/products/${externalId(1)}`);
    expect(headers.get('allow')).toBe('PATCH, GET');
  });

  it('answers 404 in the envelope to what is neither of the API nor a control', async () => {
    const response = await fetch(`${sandbox.url}/nowhere`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: 'No such endpoint', details: { timestamp: expect.any(String) } },
      requestId: expect.any(String),
    });
  });

  it('answer 413 to a body above 32 MiB, and log it', async () => {
    const sentBody = ' '.repeat(32 * 1024 * 1024 + 1);
    const answer = await codeOf({ body: {}, sentBody }, 'PATCH /partner/stores/inventory');
    expect(answer).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const { json } = await sandbox.control('GET /requests');
    expect(json.requests).toMatchObject([{ status: 413, errorCode: 'PAYLOAD_TOO_LARGE' }]);
  });
});
