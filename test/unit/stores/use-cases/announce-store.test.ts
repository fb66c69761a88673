import { describe, expect, test } from 'vitest';
import { announceLeftStores } from '../../../../shared/stores/use-cases/announce-store.ts';
import { suspendStore } from '../../../../shared/stores/use-cases/for-connected-store.ts';
import { connectStore, resumeStore, unbindStore } from '../../../../shared/stores/use-cases/operate-store.ts';
import { connectedStore, refusal, storePorts } from '../store-ports.ts';

type Ports = ReturnType<typeof storePorts>['ports'];

const suspended = connectedStore({ state: 'suspended' });
const credentials = { storeClientId: 's-1', storeToken: 'token-1' };
const changes = {
  'store.suspended': (ports: Ports) => suspendStore(ports, connectedStore(), refusal('AUTH_014')),
  'store.connected': (ports: Ports) => connectStore(ports, credentials),
  'store.unbound': (ports: Ports) => unbindStore(ports, connectedStore()),
};

const announceLeft = (ports: Ports) =>
  announceLeftStores(ports, {
    onFailure: (error) => {
      throw error;
    },
  });

async function setUp(store = connectedStore()) {
  const made = storePorts();
  await made.ports.stores.put(store);
  return { ...made, told: () => made.published.map(({ detailType }) => detailType) };
}

/** The same ports in a process that dies when it comes to the bus. */
function dying(ports: Ports): Ports {
  const publish = () => Promise.reject(new Error('killed'));
  return { ...ports, events: { publish } };
}

describe('a change of a store that nobody told of', () => {
  test.each(Object.entries(changes))('%s is told later, once', async (detailType, change) => {
    const { ports, told, passTime } = await setUp();
    await expect(change(dying(ports))).rejects.toThrow('killed');
    passTime(31_000);
    expect(await announceLeft(ports)).toBe(1);
    expect(await announceLeft(ports)).toBe(0);
    expect(told()).toEqual([detailType]);
  });

  test('tells the reason of a suspension', async () => {
    const { ports, published, passTime } = await setUp();
    await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
    passTime(31_000);
    await announceLeft(ports);
    expect(published).toEqual([
      { detailType: 'store.suspended', detail: { storeClientId: 's-1', reason: 'AUTH_014: AUTH_014' } },
    ]);
  });

  test('is told before those that came after it', async () => {
    const { ports, told, passTime } = await setUp();
    await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
    passTime(1_000);
    await expect(resumeStore(dying(ports), suspended)).rejects.toThrow('killed');
    passTime(31_000);
    await announceLeft(ports);
    expect(told()).toEqual(['store.suspended', 'store.connected']);
  });

  test('is left to its author while he may still tell of it', async () => {
    const { ports, told, passTime } = await setUp();
    await expect(changes['store.suspended'](dying(ports))).rejects.toThrow('killed');
    passTime(20_000);
    expect(await announceLeft(ports)).toBe(0);
    expect(told()).toEqual([]);
  });

  test('is told again where it could not be forgotten', async () => {
    const { ports, told, passTime } = await setUp();
    const forgetEvent = () => Promise.reject(new Error('killed'));
    const forgetful = { ...ports, stores: { ...ports.stores, forgetEvent } };
    await expect(changes['store.suspended'](forgetful)).rejects.toThrow('killed');
    passTime(31_000);
    await announceLeft(ports);
    expect(told()).toEqual(['store.suspended', 'store.suspended']);
  });
});

test('changes of one store that can not be told do not keep back those of others', async () => {
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
  const announced = await announceLeftStores(
    { ...ports, events: { publish } },
    { onFailure: (error) => failures.push(error) },
  );
  expect(announced).toBe(1);
  expect(published.map(({ detail }) => detail.storeClientId)).toEqual(['s-2']);
  expect(failures).toEqual([new Error('throttled')]);
});

test('nothing is left where every author told of his change', async () => {
  const { ports, told, passTime } = await setUp();
  for (const change of Object.values(changes)) await change(ports);
  passTime(31_000);
  expect(await announceLeft(ports)).toBe(0);
  expect(told()).toEqual(['store.suspended', 'store.connected', 'store.unbound']);
});
