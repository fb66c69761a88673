import { describe, expect, test } from 'vitest';
import {
  connectStore,
  resumeStore,
  suspendStore,
  unbindStore,
} from '../../../../shared/stores/use-cases/operate-store.ts';
import { connectedStore, refusal, storePorts } from '../store-ports.ts';

async function setUp(facts = {}) {
  const made = storePorts();
  const store = connectedStore(facts);
  await made.ports.stores.put(store);
  return { ...made, store, current: () => made.ports.stores.get('s-1') };
}

const names = (published: { detailType: string }[]) => published.map(({ detailType }) => detailType);

describe('connecting a store', () => {
  test('rotates the token of a connected store and keeps the time of its first connection', async () => {
    const { ports, marketplace, current, store } = await setUp();
    marketplace.tokens.add('token-2');
    await connectStore(ports, { storeClientId: 's-1', storeToken: 'token-2' });
    expect(await current()).toMatchObject({ storeToken: 'token-2', connectedAt: store.connectedAt });
  });

  test('keeps discarded commands discarded', async () => {
    const { ports, current, store } = await setUp({ state: 'unbound' });
    await ports.stores.discardCommands('s-1', '2026-11-21T07:00:00.000Z');
    await connectStore(ports, store);
    expect(await current()).toMatchObject({
      state: 'connected',
      names: { products: 'sku', orders: 'orderId' },
      discardedAt: '2026-11-21T07:00:00.000Z',
    });
  });

  test('keeps commands discarded that are discarded at the same time', async () => {
    const { ports, current, store } = await setUp({ state: 'unbound' });
    await ports.stores.discardCommands('s-1', '2026-11-21T07:00:00.000Z');
    const { put } = ports.stores;
    ports.stores.put = async (...record) => {
      await ports.stores.discardCommands('s-1', '2026-11-21T08:00:00.000Z');
      await put(...record);
    };
    await connectStore(ports, store);
    expect(await current()).toMatchObject({
      state: 'connected',
      names: { products: 'sku', orders: 'orderId' },
      discardedAt: '2026-11-21T08:00:00.000Z',
    });
  });

  test('changes nothing when the marketplace refuses the credentials', async () => {
    const { ports, current, store, published } = await setUp();
    const wrong = { storeClientId: 's-1', storeToken: 'wrong' };
    await expect(connectStore(ports, wrong)).rejects.toMatchObject({
      code: 'AUTH_014',
    });
    expect(await current()).toEqual(store);
    expect(published).toEqual([]);
  });
});

describe('suspending a store', () => {
  test('is announced once, with the reason', async () => {
    const { ports, store, current, published } = await setUp();
    await suspendStore(ports, store, refusal('AUTH_014'));
    await suspendStore(ports, store, refusal('AUTH_014'));
    expect(await current()).toMatchObject({ state: 'suspended', stateReason: 'AUTH_014: AUTH_014' });
    expect(names(published)).toEqual(['store.suspended']);
  });

  test('leaves a store connected whose token was rotated meanwhile', async () => {
    const { ports, store, current } = await setUp();
    await ports.stores.put({ ...store, storeToken: 'token-2' });
    await suspendStore(ports, store, refusal('AUTH_014'));
    expect(await current()).toMatchObject({ state: 'connected' });
  });
});

describe('resuming a store', () => {
  test('connects it when its credentials are valid again', async () => {
    const { ports, store, current, published } = await setUp({ state: 'suspended', stateReason: 'AUTH_014' });
    await resumeStore(ports, store);
    expect(await current()).toMatchObject({ state: 'connected' });
    expect(await current()).not.toHaveProperty('stateReason');
    expect(names(published)).toEqual(['store.connected']);
  });

  test('leaves it suspended while the marketplace refuses it', async () => {
    const { ports, store, current } = await setUp({ state: 'suspended', storeToken: 'revoked' });
    await expect(resumeStore(ports, store)).rejects.toMatchObject({ code: 'AUTH_014' });
    expect(await current()).toMatchObject({ state: 'suspended' });
  });

  test('never restores an old token', async () => {
    const { ports, store, current } = await setUp({ state: 'suspended' });
    await ports.stores.put({
      ...store,
      state: 'connected',
      names: { products: 'sku', orders: 'orderId' },
      storeToken: 'token-2',
    });
    await resumeStore(ports, store);
    expect(await current()).toMatchObject({ storeToken: 'token-2' });
  });

  test.each(['connected', 'unbound'])('is refused for a store that is %s', async (state) => {
    const { ports, store } = await setUp({ state });
    await expect(resumeStore(ports, store)).rejects.toMatchObject({ code: 'STORE_TRANSITION' });
  });
});

describe('unbinding a store', () => {
  test.each(['connected', 'suspended'])('ends a store that is %s, and is announced', async (state) => {
    const { ports, store, current, published, marketplace } = await setUp({ state });
    await unbindStore(ports, store);
    expect(marketplace.unbound).toEqual(['s-1']);
    expect(await current()).toMatchObject({ state: 'unbound' });
    expect(names(published)).toEqual(['store.unbound']);
  });

  test('succeeds when the marketplace has already unbound it', async () => {
    const { ports, store, current, marketplace } = await setUp();
    marketplace.failure = refusal('STORE_021');
    await unbindStore(ports, store);
    expect(await current()).toMatchObject({ state: 'unbound' });
  });

  test('does nothing to an unbound store', async () => {
    const { ports, store, published, marketplace } = await setUp({ state: 'unbound' });
    await unbindStore(ports, store);
    expect(marketplace.unbound).toEqual([]);
    expect(published).toEqual([]);
  });

  test('changes nothing when the marketplace does not know the store', async () => {
    const { ports, store, current, marketplace, published } = await setUp();
    marketplace.failure = refusal('STORE_020');
    await expect(unbindStore(ports, store)).rejects.toMatchObject({ code: 'STORE_020' });
    expect(await current()).toEqual(store);
    expect(published).toEqual([]);
  });
});
