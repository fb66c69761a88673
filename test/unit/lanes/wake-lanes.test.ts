import { describe, expect, test } from 'vitest';
import { wakeLanes } from '../../../shared/lanes/use-cases/wake-lanes.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { failure } from '../support/failure.ts';
import { laneWorld, STORE } from './lane-world.ts';

const AT = '2026-01-01T00:00:00.000Z';
const MINUTE = 60_000;
const failing = {
  onFailure: (error: unknown) => {
    throw error;
  },
};

async function waitingWorld(options?: Parameters<typeof laneWorld>[0]) {
  const world = laneWorld(options);
  await world.connect();
  await world.change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  world.tickets.length = 0;
  return { ...world, pass: (ms: number) => world.clock.run(world.clock.sleep(ms)) };
}

describe('wakeLanes', () => {
  test('wakes a lane with work due, and reports the age of its oldest change', async () => {
    const { ports, tickets, pass } = await waitingWorld();
    await pass(3 * MINUTE);
    expect(await wakeLanes(ports, failing)).toEqual([
      { storeClientId: STORE, oldestChangeAgeMs: 3 * MINUTE, oldestFreeChangeAgeMs: 3 * MINUTE, woken: true },
    ]);
    expect(tickets).toMatchObject([{ storeClientId: STORE }]);
  });

  test('reports the whole age of a repeatedly refused change, also while it backs off', async () => {
    const reply = () => ({
      errors: [{ rowIndex: 0, code: 'SYS_DEP_503', message: 'later', details: { retryable: true } }],
    });
    const { ports, clock, push, pass } = await waitingWorld({ reply } as Parameters<typeof laneWorld>[0]);
    const since = clock.now();
    for (let round = 0; round < 61; round += 1) {
      await push();
      await pass(MINUTE);
    }
    await push();
    expect(await wakeLanes(ports, failing)).toEqual([
      {
        storeClientId: STORE,
        oldestChangeAgeMs: clock.now() - since,
        oldestFreeChangeAgeMs: clock.now() - since,
        woken: false,
      },
    ]);
    expect(clock.now() - since).toBeGreaterThan(61 * MINUTE);
  });

  test('reports the age of a change that waits after an unknown outcome', async () => {
    const { ports, clock, push } = await waitingWorld({
      reply: () => {
        throw failure('TIMEOUT', { outcome: 'unknown', retryable: true });
      },
    });
    const since = clock.now();
    await push();
    const [lane] = await wakeLanes(ports, failing);
    expect(lane).toEqual({
      storeClientId: STORE,
      oldestChangeAgeMs: clock.now() - since,
      oldestFreeChangeAgeMs: clock.now() - since,
      woken: false,
    });
    expect(lane?.oldestChangeAgeMs).toBeGreaterThan(0);
  });

  test('does not look at a lane without work', async () => {
    const { ports, tickets, push, pass } = await waitingWorld();
    await push();
    await pass(MINUTE);
    expect(await wakeLanes(ports, failing)).toEqual([]);
    expect(tickets).toEqual([]);
  });

  test('wakes other lanes although some can not be read', async () => {
    const { ports, tickets, pass } = await waitingWorld();
    const page = { page: '3#000000000000000#1', targets: ['sku:A'], since: 0, putAt: 0 };
    const others = Array.from({ length: 150 }, (_, index) => ({ ...page, storeClientId: `other-${index}` }));
    await ports.pages.putAll(others);
    const { getMany } = ports.lanes;
    ports.lanes.getMany = (ids) =>
      ids.includes('other-0') ? Promise.reject(new Error('unreadable')) : getMany(ids);
    await pass(MINUTE);
    const failures: unknown[] = [];
    const seen = await wakeLanes(ports, { onFailure: (error) => failures.push(error) });
    expect(failures).toEqual([new Error('unreadable')]);
    expect(seen).toContainEqual(expect.objectContaining({ storeClientId: STORE, woken: true }));
    expect(tickets).toContainEqual(expect.objectContaining({ storeClientId: STORE }));
  });
});

describe('a waiting lane', () => {
  const awaited = async ({ ports }: Pick<ReturnType<typeof laneWorld>, 'ports'>) =>
    (await wakeLanes(ports, failing)).map(({ waitsFor }) => waitsFor);

  test('is reported as blocked on a person while its store is not connected', async () => {
    const world = await waitingWorld();
    const store = await world.ports.stores.get(STORE);
    await world.ports.stores.suspend(store as Store, {
      detailType: 'store.suspended',
      at: AT,
      reason: 'AUTH_014',
    });
    expect(await world.push()).toMatchObject({ ended: 'not-connected' });
    expect(await awaited(world)).toEqual(['connection']);
    await world.connect('token-2');
    await world.push();
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 6 }]);
    expect(await awaited(world)).toEqual([undefined]);
  });

  test('is reported as blocked on a person while its prices are held', async () => {
    const world = await waitingWorld();
    await world.change('price.changed', 2, [{ sku: 'B', price: 5 }]);
    const hold = { since: AT, reason: 'too many', changedListings: 9, knownListings: 9, announced: true };
    await world.ports.guards.update(STORE, () => ({ storeClientId: STORE, hold }));
    await world.push();
    expect(await awaited(world)).toEqual(['release']);
    await world.ports.guards.update(STORE, () => ({ storeClientId: STORE }));
    await world.push();
    await world.change('stock.changed', 3, [{ sku: 'A', stock: 6 }]);
    expect(await awaited(world)).toEqual([undefined]);
  });

  test('is reported as blocked while its prices are held also after an interrupted push, with the age of its other changes', async () => {
    const world = await waitingWorld();
    const since = world.clock.now();
    await world.change('price.changed', 2, [{ sku: 'B', price: 5 }]);
    const hold = { since: AT, reason: 'too many', changedListings: 9, knownListings: 9, announced: true };
    await world.ports.guards.update(STORE, () => ({ storeClientId: STORE, hold }));
    await world.push();
    await world.pass(60 * MINUTE);
    await world.change('stock.changed', 2, [{ sku: 'A', stock: 6 }]);
    await world.pass(2 * MINUTE);
    expect(await world.push(0)).toMatchObject({ ended: 'turn-over' });
    expect(await wakeLanes(world.ports, failing)).toMatchObject([
      {
        waitsFor: 'release',
        oldestChangeAgeMs: world.clock.now() - since,
        oldestFreeChangeAgeMs: 2 * MINUTE,
      },
    ]);
  });

  test('is not reported as blocked on a person while the marketplace asks it to wait', async () => {
    const world = await waitingWorld({
      reply: () => {
        throw failure('STORE_021');
      },
    });
    await world.push();
    expect(await awaited(world)).toEqual([undefined]);
  });
});
