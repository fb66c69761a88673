import { expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { rearm } from '../../../../shared/listings/rules/rearm.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = new Date(NOW - 1000).toISOString();

/** Stock that was rejected. */
const rejected = (code: string): Listing => ({
  storeClientId: 'store',
  target: 'id:7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f',
  versionKind: 'integer',
  desired: { stock: { value: 5, version: 1 } },
  sent: { stock: { value: 5, version: 1, at } },
  settled: { stock: { value: 5, version: 1, at, outcome: 'rejected', code } },
  failures: 0,
});

test.each(['INV_001', 'INV_002', 'PRD_016'])(
  'what was rejected with %s waits again once its target is there',
  (code) => {
    expect(rearm(rejected(code), NOW)).toMatchObject({ settled: {}, waitingSince: NOW, createdAt: NOW });
  },
);

test('what was rejected for its value stays so', () => {
  const listing = rejected('VAL_001');
  const rearmed = rearm(listing, NOW);
  expect(rearmed.settled).toEqual(listing.settled);
  expect(rearmed.waitingSince).toBeUndefined();
});
