import { describe, expect, test } from 'vitest';
import { announcePendingStores } from '../../../../shared/stores/use-cases/announce-store.ts';
import {
  connectStore,
  resumeStore,
  suspendStore,
  unbindStore,
} from '../../../../shared/stores/use-cases/operate-store.ts';
import { connectedStore, refusal, storePorts } from '../store-ports.ts';

type Ports = ReturnType<typeof storePorts>['ports'];

const suspended = connectedStore({ state: 'suspended' });
const credentials = { storeClientId: 's-1', storeToken: 'token-1' };
const changes = {
  'store.suspended': (ports: Ports) => suspendStore(ports, connectedStore(), refusal('AUTH_014')),
  'store.connected': (ports: Ports) => connectStore(ports, credentials),
  'store.unbound': (ports: Ports) => unbindStore(ports, connectedStore()),
};

const announcePending = (ports: Ports) =>
  announcePendingStores(ports, {
    onFailure: (error) => {
      throw error;
    },
  });

async function setUp(store = connectedStore()) {
  const made = storePorts();
  await made.ports.stores.put(store);
  return { ...made, publishedTypes: () => made.published.map(({ detailType }) => detailType) };
}

/** `ports` in a process that is killed when it publishes. */
function dying(ports: Ports): Ports {
  const publish = () => Promise.reject(new Error('killed'));
  return { ...ports, events: { publish } };
}

describe('an unpublished change of a store', () => {
  test.each(Object.entries(changes))('is published later, once: %s', async (detailType, change) => {
    const { ports, publishedTypes, passTime } = await setUp();
    await expect(change(dying(ports))).rejects.toThrow('killed');
    passTime(31_000);
    expect(await announcePending(ports)).toBe(1);
    expect(await announcePending(ports)).toBe(0);
    expect(publishedTypes()).toEqual([detailType]);
  });

  test('is published with the reason of a suspension', async () => {
    const { ports, published, passTime } = await setUp();
    await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
    passTime(31_000);
    await announcePending(ports);
    expect(published).toEqual([
      { detailType: 'store.suspended', detail: { storeClientId: 's-1', reason: 'AUTH_014: AUTH_014' } },
    ]);
  });

  test('is published before later changes', async () => {
    const { ports, publishedTypes, passTime } = await setUp();
    await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
    passTime(1_000);
    await expect(resumeStore(dying(ports), suspended)).rejects.toThrow('killed');
    passTime(31_000);
    await announcePending(ports);
    expect(publishedTypes()).toEqual(['store.suspended', 'store.connected']);
  });

  test('is left to its author for 30 s', async () => {
    const { ports, publishedTypes, passTime } = await setUp();
    await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
    passTime(20_000);
    expect(await announcePending(ports)).toBe(0);
    expect(publishedTypes()).toEqual([]);
  });

  test('is published again when its removal failed', async () => {
    const { ports, publishedTypes, passTime } = await setUp();
    const forgetEvent = () => Promise.reject(new Error('killed'));
    const forgetful = { ...ports, stores: { ...ports.stores, forgetEvent } };
    await expect(changes['store.suspended'](forgetful)).rejects.toThrow('killed');
    passTime(31_000);
    await announcePending(ports);
    expect(publishedTypes()).toEqual(['store.suspended', 'store.suspended']);
  });
});

test('unpublishable changes of one store do not delay those of others', async () => {
  const { ports, published, passTime } = await setUp();
  await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
  const at = new Date(ports.clock.now()).toISOString();
  await ports.stores.put(connectedStore({ storeClientId: 's-2' }), { detailType: 'store.connected', at });
  passTime(31_000);
  const failures: unknown[] = [];
  const publish: Ports['events']['publish'] = async (events) => {
    if (events.some(({ detail }) => detail.storeClientId === 's-1')) throw new Error('throttled');
    await ports.events.publish(events);
  };
  const announced = await announcePendingStores(
    { ...ports, events: { publish } },
    { onFailure: (error) => failures.push(error) },
  );
  expect(announced).toBe(1);
  expect(published.map(({ detail }) => detail.storeClientId)).toEqual(['s-2']);
  expect(failures).toEqual([new Error('throttled')]);
});

test('no change is left when every author has published its own', async () => {
  const { ports, publishedTypes, passTime } = await setUp();
  for (const change of Object.values(changes)) await change(ports);
  passTime(31_000);
  expect(await announcePending(ports)).toBe(0);
  expect(publishedTypes()).toEqual(['store.suspended', 'store.connected', 'store.unbound']);
});
