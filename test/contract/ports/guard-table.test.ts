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
/** Twice as many as hold the prices of a store that allows none. */
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

  test('a guard that nobody set is not there', async () => {
    expect(await guards.get(storeClientId)).toBeUndefined();
  });

  test('update makes a guard, and get reads it back whole', async () => {
    const hold = { since: 'T', reason: 'many', changedListings: 3, knownListings: 9, announced: false };
    const counted = { marks: { a: 1, b: 2 }, known: { listings: 9, at: 1 }, liftedAt: 1 };
    const guard = { storeClientId, limits, ...counted, hold };
    expect(await guards.update(storeClientId, () => guard)).toEqual(guard);
    expect(await guards.get(storeClientId)).toEqual(guard);
  });

  test('update takes away what the change leaves out', async () => {
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    await guards.update(storeClientId, () => ({ storeClientId }));
    expect(await guards.get(storeClientId)).toEqual({ storeClientId });
  });

  test('as many marks as a guard makes are kept', async () => {
    const entries = Array.from({ length: MARKS }, (__, index) => [
      String(index).padStart(8, '0'),
      Date.now(),
    ]);
    const marks = Object.fromEntries(entries);
    await guards.update(storeClientId, () => ({ storeClientId, limits, marks }));
    expect((await guards.get(storeClientId))?.marks).toEqual(marks);
  });

  test('stores have guards of their own', async () => {
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    expect(await guards.get(freshId('store'))).toBeUndefined();
  });
});
