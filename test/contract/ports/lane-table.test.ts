import { beforeEach, describe, expect, test } from 'vitest';
import { createLaneTable } from '../../../shared/aws/lane-table.ts';
import type { Lane } from '../../../shared/lanes/model.ts';
import type { LaneTable } from '../../../shared/lanes/ports.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';

const local = useLocalTables();

describe.each<[string, () => LaneTable]>([
  ['in memory', () => inMemoryLaneTable()],
  ['on DynamoDB', () => createLaneTable(local().client, local().tableName('Lanes'))],
])('LaneTable %s', (_, create) => {
  let lanes: LaneTable;
  let store: string;

  beforeEach(() => {
    lanes = create();
    store = freshId('store');
  });

  const acquire = (leaseId: string, now: number, until: number) =>
    lanes.acquire(store, { leaseId, now, until });

  test('get returns nothing for a lane that was never created', async () => {
    expect(await lanes.get(store)).toBeUndefined();
  });

  test('acquire takes a free lane, also one that was never created', async () => {
    const expected: Lane = { storeClientId: store, dirty: 0, leaseId: 'a', leaseUntil: 1_030 };
    expect(await acquire('a', 1_000, 1_030)).toEqual(expected);
    expect(await lanes.get(store)).toEqual(expected);
  });

  test('acquire returns nothing while another lease is alive', async () => {
    await acquire('a', 1_000, 1_030);
    expect(await acquire('b', 1_029, 1_060)).toBeUndefined();
    expect((await lanes.get(store))?.leaseId).toBe('a');
  });

  test('acquire takes over in the very millisecond in which the lease expires', async () => {
    await acquire('a', 1_000, 1_030);
    expect(await acquire('b', 1_030, 1_060)).toMatchObject({ leaseId: 'b', leaseUntil: 1_060 });
  });

  test('acquire succeeds again for the holder', async () => {
    await acquire('a', 1_000, 1_030);
    expect(await acquire('a', 1_001, 1_031)).toMatchObject({ leaseId: 'a' });
  });

  test('acquire has one winner among many at once', async () => {
    const leases = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => acquire(id, 1_000, 1_030)));
    const holders = leases.flatMap((lane) => lane?.leaseId ?? []);
    expect(holders).toHaveLength(1);
    expect((await lanes.get(store))?.leaseId).toBe(holders[0]);
  });

  test('extend lengthens the lease and never shortens it', async () => {
    await acquire('a', 1_000, 1_030);
    expect(await lanes.extend(store, 'a', 1_050)).toBe(true);
    expect(await lanes.extend(store, 'a', 1_040)).toBe(true);
    expect((await lanes.get(store))?.leaseUntil).toBe(1_050);
  });

  test('extend is refused for everyone but the holder', async () => {
    await acquire('a', 1_000, 1_030);
    await acquire('b', 1_030, 1_060);
    expect(await lanes.extend(store, 'a', 9_999)).toBe(false);
    expect((await lanes.get(store))?.leaseUntil).toBe(1_060);
  });

  test('release frees the lane and keeps its dirty counter', async () => {
    await acquire('a', 1_000, 1_030);
    expect(await lanes.release(store, { leaseId: 'a', dirty: 0 })).toBeUndefined();
    expect(await lanes.get(store)).toEqual({ storeClientId: store, dirty: 0 });
    expect(await acquire('b', 1_001, 1_031)).toMatchObject({ leaseId: 'b' });
  });

  test('release keeps the lane when the holder has not seen every dirty mark', async () => {
    await acquire('a', 1_000, 1_030);
    await lanes.markDirty(store);
    expect(await lanes.release(store, { leaseId: 'a', dirty: 0 })).toBe(1);
    expect((await lanes.get(store))?.leaseId).toBe('a');
    expect(await lanes.release(store, { leaseId: 'a', dirty: 1 })).toBeUndefined();
    expect(await lanes.get(store)).toEqual({ storeClientId: store, dirty: 1 });
  });

  test('release without a dirty counter frees the lane, whatever has come', async () => {
    await acquire('a', 1_000, 1_030);
    await lanes.markDirty(store);
    expect(await lanes.release(store, { leaseId: 'a' })).toBeUndefined();
    expect(await lanes.get(store)).toEqual({ storeClientId: store, dirty: 1 });
  });

  test('release does nothing to a lane with another holder', async () => {
    await acquire('a', 1_000, 1_030);
    await acquire('b', 1_030, 1_060);
    expect(await lanes.release(store, { leaseId: 'a', dirty: 0 })).toBeUndefined();
    expect((await lanes.get(store))?.leaseId).toBe('b');
  });

  test('markDirty counts every one of several marks at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => lanes.markDirty(store)));
    expect((await lanes.get(store))?.dirty).toBe(5);
  });

  test('release replaces the state of the lane by the one that is given', async () => {
    const at = '2026-11-21T08:00:00.000Z';
    const tries = {
      count: 2,
      lastFailed: { at, outcome: 'refused', status: 503, requestId: 'r-1' },
    } as const;
    await acquire('a', 1_000, 1_030);
    await lanes.release(store, { leaseId: 'a', state: { oneAtATime: true, rowsAtMost: 7, tries } });
    expect(await lanes.get(store)).toEqual({
      storeClientId: store,
      dirty: 0,
      oneAtATime: true,
      rowsAtMost: 7,
      tries,
    });
    await acquire('b', 1_000, 1_030);
    await lanes.release(store, { leaseId: 'b', state: { waitsFor: 'connection' } });
    expect(await lanes.get(store)).toEqual({ storeClientId: store, dirty: 0, waitsFor: 'connection' });
  });

  test('release without a state keeps that of the lane', async () => {
    await acquire('a', 1_000, 1_030);
    await lanes.release(store, { leaseId: 'a', state: { rowsAtMost: 7 } });
    await acquire('b', 1_000, 1_030);
    await lanes.release(store, { leaseId: 'b' });
    expect(await lanes.get(store)).toEqual({ storeClientId: store, dirty: 0, rowsAtMost: 7 });
  });

  test('release by another than the holder, or before every dirty mark is seen, replaces no state', async () => {
    await acquire('a', 1_000, 1_030);
    await lanes.release(store, { leaseId: 'b', state: { rowsAtMost: 7 } });
    await lanes.markDirty(store);
    await lanes.release(store, { leaseId: 'a', dirty: 0, state: { rowsAtMost: 7 } });
    expect(await lanes.get(store)).not.toHaveProperty('rowsAtMost');
  });

  test('getMany returns the lanes of the given stores that have one, more than fit one call', async () => {
    const stores = Array.from({ length: 120 }, (_, index) => `${store}-${index}`);
    for (const one of stores) await lanes.markDirty(one);
    const found = await lanes.getMany([...stores, `${store}-without`]);
    expect([...found.keys()].toSorted()).toEqual(stores.toSorted());
    expect(found.get(`${store}-0`)).toEqual({ storeClientId: `${store}-0`, dirty: 1 });
  });
});
