import { expect, test } from 'vitest';
import type { Drift } from '../../../shared/drift/model.ts';
import { repairDrift } from '../../../shared/drift/use-cases/repair-drift.ts';
import { settleRegisters } from '../../../shared/listings/rules/row.ts';
import { inMemoryDriftTable } from '../../doubles/in-memory-drift-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { listingOf, START } from './support/verifier-over.ts';

test('a repair names the products with a value that is sent again, and not one whose newest value was rejected since', async () => {
  const sent: unknown[] = [];
  const ports = {
    drift: inMemoryDriftTable(),
    listings: inMemoryListingTable(),
    tickets: { send: async (tickets: readonly unknown[]) => void sent.push(...tickets) },
    clock: { now: () => START },
  };
  const open = { wanted: 5, live: 7, version: 1, since: new Date(START).toISOString() };
  for (const target of ['sku:A', 'sku:B']) {
    const drift: Drift = { storeClientId: 's', target, registers: { price: { open, relapses: 0 } } };
    await ports.drift.update('s', target, () => drift);
    await ports.listings.update('s', target, () => listingOf(target));
  }
  const newer = { price: { value: 9, version: 2 } };
  await ports.listings.update('s', 'sku:B', (current) => {
    if (current === undefined) return undefined;
    return settleRegisters(
      { ...current, desired: newer },
      newer,
      { outcome: 'rejected', code: 'VAL_001' },
      START,
    );
  });
  expect(await repairDrift(ports, 's', ['sku:B'])).toEqual([]);
  expect(sent).toEqual([]);
  expect(await repairDrift(ports, 's', ['sku:A', 'sku:B'])).toEqual(['sku:A']);
  expect(sent).toEqual([{ storeClientId: 's' }]);
});
