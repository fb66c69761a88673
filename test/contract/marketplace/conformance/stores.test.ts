import { afterAll, describe, expect, it } from 'vitest';
import { openTarget } from './target.ts';

const target = await openTarget();
afterAll(() => target.close());

const { client } = target;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const redirectUri = 'https://partner.example/callback?from=test';

async function onboardedStore() {
  const { sid } = await client.createOnboardSession({ redirectUri });
  const query = await target.controls().completeOnboarding(sid);
  return {
    storeClientId: query.get('storeClientId') ?? '',
    storeToken: query.get('storeToken') ?? '',
    query,
    sid,
  };
}

describe('§4.1 create onboard session', () => {
  it('answers with a bare object: onboardUrl, sid, requestId', async () => {
    const session = await client.createOnboardSession({ redirectUri });
    expect(session.sid).toMatch(UUID);
    expect(session.requestId).toMatch(UUID);
    expect(session).not.toHaveProperty('success');
  });

  it('has the partner client ID, a session token and the requestId in onboardUrl', async () => {
    const { onboardUrl, requestId } = await client.createOnboardSession({ redirectUri });
    const values = [...new URL(onboardUrl).searchParams.values()];
    expect(values).toContain(target.partnerClientId);
    expect(values).toContain(requestId);
    expect(values.length).toBeGreaterThanOrEqual(3);
  });
});

describe.skipIf(!target.isSandbox)('§3 onboarding session', () => {
  it('connects a store to the partner with working credentials', async () => {
    const store = await onboardedStore();
    expect(store.query.get('sid')).toBe(store.sid);
    expect(store.query.get('from')).toBe('test');
    expect(await client.listWarehouses(store)).toMatchObject({ data: [] });
  });

  it('is refused 3 minutes after it was issued', async () => {
    const { sid } = await client.createOnboardSession({ redirectUri });
    await target.controls().setClock(180_000);
    const status = await target.controls().statusOfOnboarding(sid);
    await target.controls().setClock(0);
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe.skipIf(!target.isSandbox)('§3, §4.2 unbind store', () => {
  it('disconnects a connected store and revokes its token', async () => {
    const store = await onboardedStore();
    const { data } = await client.unbindStore(store);
    expect(data).toMatchObject({ storeClientId: store.storeClientId, status: 'unbound' });
    await expect(client.listWarehouses(store)).rejects.toMatchObject({ code: 'AUTH_014' });
  });

  it('answers STORE_021 for a store that is unbound already', async () => {
    const store = await onboardedStore();
    await client.unbindStore(store);
    await expect(client.unbindStore(store)).rejects.toMatchObject({ code: 'STORE_021', outcome: 'refused' });
  });

  it('answers STORE_020 for a store of another partner', async () => {
    await expect(client.unbindStore({ storeClientId: 'store-other' })).rejects.toMatchObject({
      code: 'STORE_020',
    });
  });
});

describe('§4.2 unbind store', () => {
  it('answers STORE_020 for an unknown store', async () => {
    const call = client.unbindStore({ storeClientId: 'no-such-store' });
    await expect(call).rejects.toMatchObject({ code: 'STORE_020', outcome: 'refused', retryable: false });
  });
});
