import { describe, expect, it } from 'vitest';
import { useSandbox } from '../sandbox.ts';

const sandbox = useSandbox();
const REDIRECT = 'https://partner.example/callback?state=7';
const MINUTES = 60_000;

async function session() {
  const body = { redirectUri: REDIRECT };
  const { status, json } = await sandbox.call('POST /partner/onboard/sessions', { store: null, body });
  expect(status).toBe(200);
  return json as { onboardUrl: string; sid: string; requestId: string };
}

const unbind = (storeId: string) => sandbox.call(`POST /partner/stores/${storeId}/unbind`, { store: null });

const listing = (store: string, token: string) =>
  sandbox.call('GET /partner/stores/warehouses', { store, token });

describe('onboarding (§4.1)', () => {
  it('answers a bare object with a URL for the seller', async () => {
    const answer = await session();
    expect(Object.keys(answer).sort()).toEqual(['onboardUrl', 'requestId', 'sid']);
    const { searchParams } = new URL(answer.onboardUrl);
    expect(searchParams.get('partnerClientId')).toBe('sandbox-partner');
    expect(searchParams.get('requestId')).toBe(answer.requestId);
    expect(searchParams.get('sessionToken')).toMatch(/.+/);
  });

  it('connects a new store when the seller agrees', async () => {
    const { sid, requestId } = await session();
    const { status, json } = await sandbox.control(`POST /onboarding/${sid}/complete`);
    expect(status).toBe(200);
    const location = new URL(json.location);
    const { storeClientId = '', storeToken = '', ...rest } = Object.fromEntries(location.searchParams);
    expect(location.origin + location.pathname).toBe('https://partner.example/callback');
    expect(rest).toEqual({ state: '7', sid, requestId });
    const warehouses = await listing(storeClientId, storeToken);
    expect([warehouses.status, warehouses.json.data]).toEqual([200, []]);
  });

  it('is a page with a button, which redirects to the partner', async () => {
    const { onboardUrl } = await session();
    const page = await (await fetch(onboardUrl)).text();
    const [, action] = /action="([^"]+)"/.exec(page) ?? [];
    const agreed = await fetch(new URL(action ?? '', sandbox.url), { method: 'POST', redirect: 'manual' });
    expect(agreed.status).toBe(303);
    expect(agreed.headers.get('location')).toMatch(
      /^https:\/\/partner\.example\/callback\?state=7&storeClientId=/,
    );
  });

  it('happens once', async () => {
    const { sid } = await session();
    await sandbox.control(`POST /onboarding/${sid}/complete`);
    expect((await sandbox.control(`POST /onboarding/${sid}/complete`)).status).toBe(409);
  });

  it.each([
    [3 * MINUTES - 5_000, 200],
    [3 * MINUTES, 410],
  ])('after %d ms answers %d', async (offsetMs, status) => {
    const { sid, onboardUrl } = await session();
    await sandbox.control('PUT /clock', { offsetMs });
    expect((await fetch(onboardUrl)).status).toBe(status);
    expect((await sandbox.control(`POST /onboarding/${sid}/complete`)).status).toBe(status);
  });

  it('gives new credentials to a store that it names, and not to another partner’s', async () => {
    const first = await session();
    const { json } = await sandbox.control(`POST /onboarding/${first.sid}/complete`, {
      storeClientId: 'store-1wh',
    });
    const token = new URL(json.location).searchParams.get('storeToken') ?? '';
    expect((await listing('store-1wh', token)).status).toBe(200);
    expect((await listing('store-1wh', 'token-store-1wh')).status).toBe(403);
    const second = await session();
    const foreign = await sandbox.control(`POST /onboarding/${second.sid}/complete`, {
      storeClientId: 'store-other',
    });
    expect(foreign.status).toBe(409);
  });

  it.each([{}, { redirectUri: 'nowhere' }])('is VAL_001 for the body %j', async (body) => {
    const { json } = await sandbox.call('POST /partner/onboard/sessions', { store: null, body });
    expect(json.error).toMatchObject({
      code: 'VAL_001',
      details: { context: { validationErrors: { redirectUri: expect.any(String) } } },
    });
  });

  it('answers 404 for an unknown session', async () => {
    expect((await sandbox.control('POST /onboarding/unknown/complete')).status).toBe(404);
  });
});

describe('unbinding (§4.2)', () => {
  it('revokes the token until the seller onboards again', async () => {
    const { status, json } = await unbind('store-1wh');
    expect([status, json.data]).toEqual([200, { storeClientId: 'store-1wh', status: 'unbound' }]);
    expect((await listing('store-1wh', 'token-store-1wh')).json.error.code).toBe('AUTH_014');
    const { sid } = await session();
    const again = await sandbox.control(`POST /onboarding/${sid}/complete`, { storeClientId: 'store-1wh' });
    const token = new URL(again.json.location).searchParams.get('storeToken') ?? '';
    expect((await listing('store-1wh', token)).status).toBe(200);
  });

  it('is STORE_021 when repeated', async () => {
    await unbind('store-1wh');
    const { status, json } = await unbind('store-1wh');
    expect([status, json.error.code]).toEqual([409, 'STORE_021']);
  });

  it.each(['store-nowhere', 'store-other'])('is STORE_020 for %s', async (storeId) => {
    const { status, json } = await unbind(storeId);
    expect([status, json.error.code]).toEqual([404, 'STORE_020']);
    const other = await sandbox.call('GET /partner/stores/warehouses', {
      store: 'store-other',
      partner: 'other-partner',
    });
    expect(other.status).toBe(200);
  });
});
