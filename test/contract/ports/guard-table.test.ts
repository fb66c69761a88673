import { beforeEach, describe, expect, test } from 'vitest';
import { createGuardTable } from '../../../shared/aws/guard-table.ts';
import type { PriceGuard } from '../../../shared/guards/model.ts';
import type { GuardTable } from '../../../shared/guards/ports.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { useLocalTables } from './local-tables.ts';
import { freshId } from './support.ts';
import { versionedTableContract } from './versioned-table-contract.ts';

const local = useLocalTables();
const limits = { maxListingsPercent: 20, maxChangePercent: 0.5, windowMinutes: 10 };
/** As many as a window tells apart. */
const DIGESTS = 20_000;

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
    numbered: (changedBeyond) => ({
      storeClientId,
      limits,
      window: { startedAt: 1, changed: [], changedBeyond },
    }),
    numberOf: ({ window }) => window?.changedBeyond ?? 0,
  }));

  const counting = (changed: string[]) => (current: PriceGuard | undefined) => ({
    storeClientId,
    ...current,
    window: { startedAt: 1, changedBeyond: 0, ...current?.window, changed },
  });

  test('a guard that nobody set is not there', async () => {
    expect(await guards.get(storeClientId)).toBeUndefined();
  });

  test('update makes a guard, and get reads it back whole', async () => {
    const hold = { since: 'T', reason: 'many', changedListings: 3, knownListings: 9, announced: false };
    const window = { startedAt: 1, changed: ['a', 'b'], changedBeyond: 1, knownListings: 9 };
    const guard = { storeClientId, limits, window, hold };
    expect(await guards.update(storeClientId, () => guard)).toEqual(guard);
    expect(await guards.get(storeClientId)).toEqual(guard);
  });

  test('update takes away what the change leaves out', async () => {
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    await guards.update(storeClientId, () => ({ storeClientId }));
    expect(await guards.get(storeClientId)).toEqual({ storeClientId });
  });

  test('a window of as many listings as it tells apart is kept', async () => {
    const changed = Array.from({ length: DIGESTS }, (__, index) => String(index).padStart(8, '0'));
    await guards.update(storeClientId, counting(changed));
    expect((await guards.get(storeClientId))?.window?.changed).toEqual(changed);
  });

  test('stores have guards of their own', async () => {
    await guards.update(storeClientId, () => ({ storeClientId, limits }));
    expect(await guards.get(freshId('store'))).toBeUndefined();
  });
});
