import { expect, test } from 'vitest';
import { noRejections } from '../../../cli/commands/rejections.ts';
import { discardedText, stateOf } from '../../../cli/commands/stores.ts';

test('what was discarded of a store are values that waited, not listings, and of its prices alone no stock', () => {
  expect(discardedText('s-1', 1, false)).toBe(
    'discarded the waiting prices of 1 listing of s-1; waiting stock stays',
  );
  expect(discardedText('s-1', 0, true)).toBe(
    'discarded the waiting prices and stock of 0 listings of s-1; its commands that wait are rejected (COMMAND_DISCARDED) at their next try',
  );
});

test('an unbound store is said to keep what waits for it', () => {
  const at = '2026-11-22T10:00:00.000Z';
  const store = { storeClientId: 's-1', connectedAt: at, updatedAt: at } as const;
  const names = { products: 'sku', orders: 'orderId' } as const;
  expect(stateOf({ ...store, names, state: 'unbound' })).toBe(
    's-1 is unbound: what waits for it is kept for a later connection',
  );
  expect(stateOf({ ...store, names, state: 'connected' })).toBe('s-1 is connected');
});

test('without a rejection it is said that records expire, and that discarded values are not among them', () => {
  expect(noRejections(undefined)).toBe(
    'No record of any rejection. Stock and prices that an operator discarded are in a trace alone.',
  );
});
