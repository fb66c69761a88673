import { beforeEach, describe, expect, test } from 'vitest';
import { createGuardTable } from '../../../shared/aws/guard-table.ts';
import type { GuardTable } from '../../../shared/guards/ports.ts';
import type { PriceGuard } from '../../../shared/guards/rules/price-guard.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const limits = { maxListingsPercent: 20, maxChangePercent: 0.5, windowMinutes: 10 };
/** Twice as many marks as hold the prices of a store that allows no change. */
const MARKS = 20_000;

describe.each<[string, () => GuardTable]>([
  ['in memory', () => inMemoryGuardTable()],
  ['on DynamoDB', () => createGuardTable(local().client, local().tableName('Guards'))],
])('GuardTable %s', (_, create) => {
  let guards: GuardTable;
  let storeClientId: string;

  beforeEach(() => {
    guards = create();
    storeClientId = freshId('store');
  });

  versionedTableContract<PriceGuard>(() => ({
    update: (change) => guards.update(storeClientId, change),
    numbered: (liftedAt) => ({ storeClientId, limits, liftedAt }),
    numberOf: ({ liftedAt }) => liftedAt ?? 0,
  }));

  test('get returns nothing for a guard that was never set', async () => {
    expect(await guards.get(storeClientId)).toBeUndefined();
  });

  test('update creates a guard and get returns it whole', async () => {
    const hold = { since: 'T', reason: 'many', changedListings: 3, knownListings: 9, announced: false };
    const counted = { marks: { a: 1, b: 2 }, known: { listings: 9, at: 1 }, liftedAt: 1 };
    const guard = { storeClientId, limits, ...counted, hold };
    expect(await guards.update(storeClientId, () => guard)).toEqual(guard);
    expect(await guards.get(storeClientId)).toEqual(guard);
  });

  test('update removes the fields that the change leaves out', async () => {
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    await guards.update(storeClientId, () => ({ storeClientId }));
    expect(await guards.get(storeClientId)).toEqual({ storeClientId });
  });

  test('update keeps as many marks as a guard makes', async () => {
    const entries = Array.from({ length: MARKS }, (__, index) => [
      String(index).padStart(8, '0'),
      Date.now(),
    ]);
    const marks = Object.fromEntries(entries);
    await guards.update(storeClientId, () => ({ storeClientId, limits, marks }));
    expect((await guards.get(storeClientId))?.marks).toEqual(marks);
  });

  test('listHeld has the guards that hold prices, the longest first, a page at a time, until their hold is lifted', async () => {
    const hold = (since: string) => ({
      since,
      reason: 'many',
      changedListings: 3,
      knownListings: 9,
      announced: true,
    });
    const [first, second] = [`${storeClientId}-1`, `${storeClientId}-2`];
    await guards.update(second, () => ({ storeClientId: second, limits, hold: hold('2026-02-01') }));
    await guards.update(first, () => ({ storeClientId: first, limits, hold: hold('2026-01-01') }));
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    const listed = async () => {
      const { held } = await guards.listHeld();
      return held.filter((one) => one.storeClientId.startsWith(storeClientId));
    };
    expect(await listed()).toEqual([
      { storeClientId: first, hold: hold('2026-01-01') },
      { storeClientId: second, hold: hold('2026-02-01') },
    ]);
    const { held, cursor } = await guards.listHeld({ limit: 1 });
    expect(held).toHaveLength(1);
    expect((await guards.listHeld({ cursor })).held[0]).not.toEqual(held[0]);
    await guards.update(first, () => ({ storeClientId: first, limits }));
    expect(await listed()).toEqual([{ storeClientId: second, hold: hold('2026-02-01') }]);
  });

  test('get returns only the guard of its own store', async () => {
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    expect(await guards.get(freshId('store'))).toBeUndefined();
  });
});
