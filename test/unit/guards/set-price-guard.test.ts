import { describe, expect, test } from 'vitest';
import { guardLimitsSchema, type PriceGuard } from '../../../shared/guards/rules/price-guard.ts';
import { setPriceGuard } from '../../../shared/guards/use-cases/operate-guard.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';

const storeClientId = 'store-1';
const limits = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 10 };
const stricter = { ...limits, maxChangePercent: 10 };
const facts = { reason: 'many', changedListings: 3, knownListings: 10, announced: true };
const held: PriceGuard = { storeClientId, limits, hold: { since: '2026-11-22T08:00:00.000Z', ...facts } };

async function guardsWith(guard?: PriceGuard) {
  const guards = inMemoryGuardTable();
  await guards.update(storeClientId, () => guard);
  return guards;
}

describe('setting a guard', () => {
  test('creates the guard', async () => {
    const guards = await guardsWith();
    expect(await setPriceGuard({ guards }, storeClientId, limits)).toEqual({ storeClientId, limits });
    expect(await guards.get(storeClientId)).toEqual({ storeClientId, limits });
  });

  test('replaces its limits and keeps a hold', async () => {
    const guards = await guardsWith(held);
    expect(await setPriceGuard({ guards }, storeClientId, stricter)).toEqual({ ...held, limits: stricter });
    expect(await guards.get(storeClientId)).toEqual({ ...held, limits: stricter });
  });
});

describe('removing a guard', () => {
  test('keeps a hold', async () => {
    const guards = await guardsWith(held);
    const { limits: _, ...rest } = held;
    expect(await setPriceGuard({ guards }, storeClientId, undefined)).toEqual(rest);
    expect(await guards.get(storeClientId)).toEqual(rest);
  });
});

test('limits have no number that a table can not store', () => {
  expect(guardLimitsSchema.safeParse(limits).success).toBe(true);
  expect(guardLimitsSchema.safeParse({ ...limits, maxChangePercent: 1e308 }).success).toBe(false);
  expect(guardLimitsSchema.safeParse({ ...limits, maxChangePercent: 1e-300 }).success).toBe(false);
  expect(guardLimitsSchema.safeParse({ ...limits, maxListingsPercent: 1e-300 }).success).toBe(false);
  expect(guardLimitsSchema.safeParse({ ...limits, maxListingsPercent: 0 }).success).toBe(true);
});
