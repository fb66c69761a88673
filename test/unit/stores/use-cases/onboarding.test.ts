import { describe, expect, test } from 'vitest';
import {
  beginOnboarding,
  finishOnboarding as finish,
} from '../../../../shared/stores/use-cases/onboard-store.ts';
import { connectStore } from '../../../../shared/stores/use-cases/operate-store.ts';
import { failure } from '../../support/failure.ts';
import { NOW, refusal, storePorts } from '../store-ports.ts';

const good = { nonce: 'nonce-1', sid: 'sid-1', storeClientId: 's-1', storeToken: 'token-1' };

const finishOnboarding = (ports: Parameters<typeof finish>[0], callback: typeof good, signal?: AbortSignal) =>
  finish(ports, callback, signal ?? new AbortController().signal);

async function begun() {
  const setUp = storePorts();
  await beginOnboarding(setUp.ports);
  const stores = async () => (await setUp.ports.stores.list()).stores;
  return { ...setUp, stores };
}

describe('beginning an onboarding', () => {
  test('sends the seller with the callback of the stack and a nonce, for 3 minutes', async () => {
    const { ports, marketplace } = storePorts();
    expect(await beginOnboarding(ports)).toEqual({
      onboardUrl: 'https://seller.example/sid-1',
      sid: 'sid-1',
      requestId: 'r-1',
      expiresAt: new Date(NOW + 180_000).toISOString(),
    });
    expect(marketplace.redirectUris).toEqual(['https://api.example/onboarding/callback?nonce=nonce-1']);
  });

  test('keeps the redirect URI of the partner, and opens no session for the callback', async () => {
    const { ports, marketplace } = storePorts();
    await beginOnboarding(ports, { redirectUri: 'https://partner.example/back' });
    expect(marketplace.redirectUris).toEqual(['https://partner.example/back']);
    expect(await finishOnboarding(ports, good)).toBe('refused');
  });
});

describe('the callback of an onboarding', () => {
  test('connects the store and announces it', async () => {
    const { ports, stores, published } = await begun();
    expect(await finishOnboarding(ports, good)).toBe('connected');
    expect(await stores()).toMatchObject([
      {
        storeClientId: 's-1',
        storeToken: 'token-1',
        state: 'connected',
      },
    ]);
    expect(published).toEqual([
      { detailType: 'store.connected', detail: { storeClientId: 's-1', sid: 'sid-1' } },
    ]);
  });

  test('gives back the reference of the onboarding, in the store and in its event, until another connects it', async () => {
    const { ports, marketplace, published } = storePorts();
    const begun = await beginOnboarding(ports, { reference: 'customer 4711' });
    expect(begun).toMatchObject({ sid: 'sid-1', reference: 'customer 4711' });
    await finishOnboarding(ports, good);
    const facts = { sid: 'sid-1', reference: 'customer 4711' };
    expect(await ports.stores.get('s-1')).toMatchObject(facts);
    expect(published).toEqual([
      { detailType: 'store.connected', detail: { storeClientId: 's-1', ...facts } },
    ]);

    marketplace.tokens.add('token-2');
    await connectStore(ports, { storeClientId: 's-1', storeToken: 'token-2' });
    expect(await ports.stores.get('s-1')).toMatchObject({ storeToken: 'token-2', ...facts });
    expect(published.at(-1)?.detail).toEqual({ storeClientId: 's-1' });

    await beginOnboarding(ports);
    await finishOnboarding(ports, { ...good, nonce: 'nonce-2', sid: 'sid-2' });
    const { sid, reference } = (await ports.stores.get('s-1')) ?? {};
    expect({ sid, reference }).toEqual({ sid: 'sid-2', reference: undefined });
    expect(published.at(-1)?.detail).toEqual({ storeClientId: 's-1', sid: 'sid-2' });
  });

  test.each([
    ['forged', { nonce: 'guessed' }],
    ["of another session's", { sid: 'sid-2' }],
  ])('that is %s is refused and leaves the session open', async (_, part) => {
    const { ports, stores } = await begun();
    await beginOnboarding(ports);
    expect(await finishOnboarding(ports, { ...good, ...part })).toBe('refused');
    expect(await stores()).toEqual([]);
    expect(await finishOnboarding(ports, good)).toBe('connected');
  });

  test('is refused the second time, with any token', async () => {
    const { ports, stores, marketplace, published } = await begun();
    await finishOnboarding(ports, good);
    marketplace.tokens.add('token-2');
    expect(await finishOnboarding(ports, { ...good, storeToken: 'token-2' })).toBe('used');
    expect(await stores()).toMatchObject([{ storeToken: 'token-1' }]);
    expect(published).toHaveLength(1);
  });

  test('connects once when it arrives twice at once', async () => {
    const { ports, published } = await begun();
    const both = await Promise.all([finishOnboarding(ports, good), finishOnboarding(ports, good)]);
    expect(both.sort()).toEqual(['connected', 'used']);
    expect(published).toHaveLength(1);
  });

  test.each([
    [179_999, 'connected'],
    [180_000, 'expired'],
  ])('after %i ms is %s', async (ms, outcome) => {
    const { ports, passTime } = await begun();
    passTime(ms);
    expect(await finishOnboarding(ports, good)).toBe(outcome);
  });

  test('connects nothing when the marketplace refuses the credentials, and can not be tried again', async () => {
    const { ports, stores } = await begun();
    expect(await finishOnboarding(ports, { ...good, storeToken: 'forged' })).toBe('refused');
    expect(await stores()).toEqual([]);
    expect(await finishOnboarding(ports, good)).toBe('used');
  });

  test('may be repeated when the credentials could not be checked', async () => {
    const { ports, marketplace, stores } = await begun();
    marketplace.failure = refusal('SYS_DEP_503');
    expect(await finishOnboarding(ports, good)).toBe('failed');
    expect(await stores()).toEqual([]);
    marketplace.failure = undefined;
    expect(await finishOnboarding(ports, good)).toBe('connected');
  });

  test('waits for a permit as long as there is time', async () => {
    const { ports, marketplace } = await begun();
    const busy = failure('LIMIT_REACHED', { outcome: 'not-sent', retryable: true, retryAfterMs: 700 });
    const waits: number[] = [];
    const sleep = async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      if (waits.push(ms) === 3) marketplace.failure = undefined;
    };
    const clock = { ...ports.clock, sleep };
    marketplace.failure = busy;
    expect(await finishOnboarding({ ...ports, clock }, good, AbortSignal.abort())).toBe('failed');
    expect(await finishOnboarding({ ...ports, clock }, good)).toBe('connected');
    expect(waits).toEqual([700, 700, 700]);
  });

  test('has connected the store also if its event could not be published, and says so', async () => {
    const { ports, stores } = await begun();
    const events = { publish: () => Promise.reject(new Error('bus gone')) };
    expect(await finishOnboarding({ ...ports, events }, good)).toBe('connected');
    expect(await stores()).toMatchObject([{ storeClientId: 's-1', state: 'connected' }]);
    expect(await finishOnboarding(ports, good)).toBe('used');
  });

  test('passes an internal failure on, with the session open again', async () => {
    const { ports, marketplace } = await begun();
    marketplace.failure = new Error('table gone');
    await expect(finishOnboarding(ports, good)).rejects.toThrow('table gone');
    marketplace.failure = undefined;
    expect(await finishOnboarding(ports, good)).toBe('connected');
  });
});
