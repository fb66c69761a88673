import { expect, test } from 'vitest';
import { takeChanges } from '../../../shared/changes/use-cases/take-changes.ts';
import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import type { Step } from '../../doubles/step.ts';
import { laneWorld } from '../lanes/lane-world.ts';

const STORES = 100;
const CALL_MS = 5;
const WITHIN_MS = 100;

test('a receive of one change each of 100 stores takes at most 100 ms at 5 ms a call of a table', async () => {
  const { ports, clock } = laneWorld();
  const step: Step = async (_, effect) => {
    await clock.sleep(CALL_MS);
    return effect();
  };
  const { stores } = ports;
  const names = { products: 'sku', orders: 'orderId' };
  const slow = {
    ...ports,
    listings: inMemoryListingTable(step, undefined, clock),
    guards: inMemoryGuardTable(step),
    stores: {
      ...stores,
      get: (storeClientId: string) => step('', () => ({ storeClientId, names, state: 'connected' }) as never),
    },
  };
  const messages = Array.from({ length: STORES }, (_, index) => ({
    messageId: `m${index}`,
    sentAt: clock.now(),
    body: JSON.stringify({
      id: `e${index}`,
      'detail-type': 'stock.changed',
      detail: { storeClientId: `store-${index}`, version: 1, items: [{ sku: 'A', stock: 5 }] },
    }),
  }));
  const begin = clock.now();
  const taken = await clock.run(takeChanges(slow, messages));
  expect(taken).toMatchObject({ accepted: STORES, failedMessageIds: [] });
  expect(clock.now() - begin).toBeLessThanOrEqual(WITHIN_MS);
});
