import { expect, test } from 'vitest';
import { showFlow } from '../../../shared/flow/use-cases/show-flow.ts';
import type { LaneState } from '../../../shared/lanes/model.ts';
import { freshLimit } from '../../../shared/limits/model.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';
import { inMemoryStoreTable } from '../../doubles/in-memory-store-table.ts';
import { inMemoryWaitingPages } from '../../doubles/in-memory-waiting-pages.ts';
import { connectedStore } from '../stores/store-ports.ts';

const NOW = Date.parse('2026-11-22T10:00:00.000Z');

function setUp() {
  const ports = {
    stores: inMemoryStoreTable(),
    lanes: inMemoryLaneTable(),
    pages: inMemoryWaitingPages(),
    limits: inMemoryLimitTable(),
    limitIds: ['partner', 'partner#1'],
    requestsPerSecond: 10,
    clock: { now: () => NOW },
  };
  const wait = (storeClientId: string, since: number, targets: string[]) =>
    ports.pages.putAll([
      { storeClientId, page: `1#${String(since).padStart(15, '0')}#${since}`, targets, since, putAt: since },
    ]);
  const leaveLane = async (storeClientId: string, state: LaneState) => {
    await ports.lanes.acquire(storeClientId, { leaseId: 'x', now: NOW - 2, until: NOW - 1 });
    await ports.lanes.release(storeClientId, { leaseId: 'x', state });
  };
  return { ports, wait, leaveLane };
}

test('a limiter that was never used is at its full pace', async () => {
  const { ports } = setUp();
  expect(await showFlow(ports, {})).toEqual({
    limiter: { requestsPerSecond: 10, pace: 1, permits: 0, sent: 0 },
    lanes: [],
  });
});

test('the limiter says why nothing leaves, and sums the permits that have not expired over its items', async () => {
  const { ports } = setUp();
  const stop = { code: 'AUTH_010', message: 'wrong secret', since: NOW - 1000, retryAt: NOW + 1000 };
  await ports.limits.create({
    ...freshLimit('partner'),
    succeeded: 6,
    failed: 1,
    permits: { a: NOW + 1, b: NOW },
    pausedUntil: NOW + 5000,
    slowedAt: NOW,
    pace: 0.5,
    stop,
  });
  await ports.limits.create({ ...freshLimit('partner#1'), succeeded: 4, permits: { c: NOW + 1 } });
  expect((await showFlow(ports, {})).limiter).toEqual({
    requestsPerSecond: 10,
    pace: 0.75,
    permits: 2,
    sent: 11,
    pausedUntil: '2026-11-22T10:00:05.000Z',
    stopped: { code: 'AUTH_010', message: 'wrong secret', since: '2026-11-22T09:59:59.000Z' },
  });
});

test('a lane counts what waits once, since the oldest, and says who must act', async () => {
  const { ports, wait, leaveLane } = setUp();
  await ports.stores.put(connectedStore({ storeClientId: 'busy' }));
  await ports.stores.put(connectedStore({ storeClientId: 'idle' }));
  await wait('busy', NOW - 3000, ['sku:A', 'sku:B']);
  await wait('busy', NOW - 1000, ['sku:B']);
  await leaveLane('busy', { waitsFor: 'release' });
  await leaveLane('idle', { waitsFor: 'release' });
  await ports.lanes.acquire('busy', { leaseId: 'x', now: NOW, until: NOW + 10_000 });
  expect((await showFlow(ports, {})).lanes).toEqual([
    {
      storeClientId: 'busy',
      waiting: 2,
      hasMore: false,
      oldestSince: '2026-11-22T09:59:57.000Z',
      isHeld: true,
      waitsFor: 'release',
    },
    { storeClientId: 'idle', waiting: 0, hasMore: false, isHeld: false },
  ]);
});

test('a lane waits for the connection of its store only until the store is connected', async () => {
  const { ports, wait, leaveLane } = setUp();
  const waitsFor = async (state: Store['state']) => {
    await ports.stores.put({ ...connectedStore({ storeClientId: 's' }), state });
    return (await showFlow(ports, {})).lanes[0]?.waitsFor;
  };
  await wait('s', NOW - 1000, ['sku:A']);
  await leaveLane('s', { waitsFor: 'connection' });
  expect(await waitsFor('suspended')).toBe('connection');
  expect(await waitsFor('connected')).toBeUndefined();
});

test('lanes come in pages of stores', async () => {
  const { ports } = setUp();
  await ports.stores.put(connectedStore({ storeClientId: 'a' }));
  await ports.stores.put(connectedStore({ storeClientId: 'b' }));
  const first = await showFlow(ports, { limit: 1 });
  const second = await showFlow(ports, { limit: 1, cursor: first.cursor ?? '' });
  expect([...first.lanes, ...second.lanes].map(({ storeClientId }) => storeClientId)).toEqual(['a', 'b']);
});

test('lanes with so many failed requests are shown alone, and of the others nothing is counted', async () => {
  const { ports, leaveLane } = setUp();
  const lastFailed = { at: new Date(NOW).toISOString(), status: 503 };
  for (const [storeClientId, count] of Object.entries({ fine: 0, once: 1, often: 3 })) {
    await ports.stores.put(connectedStore({ storeClientId }));
    if (count > 0) await leaveLane(storeClientId, { tries: { count, lastFailed } });
  }
  const asked: string[] = [];
  const query: typeof ports.pages.query = async (storeClientId, range) => {
    asked.push(storeClientId);
    return ports.pages.query(storeClientId, range);
  };
  const { lanes } = await showFlow({ ...ports, pages: { query } }, { tries: 3 });
  expect(lanes).toMatchObject([{ storeClientId: 'often', tries: { count: 3 } }]);
  expect(asked).toEqual(['often']);
});
