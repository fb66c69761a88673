import { expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { settleRow } from '../../../../shared/listings/rules/row.ts';
import { rearm } from '../../../../shared/listings/use-cases/rearm.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = new Date(NOW - 1000).toISOString();

type Settled = NonNullable<Listing['settled']['stock']>;

/** Stock 5 with the version of a time (epoch ms), settled as given. */
const listingOf = (
  settled: Pick<Settled, 'outcome' | 'code'>,
  { version = NOW - 1_000, versionKind = 'time' as Listing['versionKind'] } = {},
): Listing => ({
  storeClientId: 'store',
  target: 'id:7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d5e6f',
  versionKind,
  desired: { stock: { value: 5, version } },
  sent: { stock: { value: 5, version, at } },
  settled: { stock: { value: 5, version, at, ...settled } },
  failures: 0,
});
const accepted = { outcome: 'accepted' } as const;
const rejected = (code: string) => ({ outcome: 'rejected', code }) as const;

test.each([accepted, rejected('VAL_001'), rejected('INV_001')])(
  'a settled value waits again after a creation, however it was settled: %j',
  (settled) => {
    expect(rearm(listingOf(settled), NOW, NOW)).toMatchObject({
      settled: {},
      waitingSince: NOW,
      createdAt: NOW,
    });
  },
);

test('a value with an integer version waits again after a creation', () => {
  const listing = listingOf(accepted, { version: 1, versionKind: 'integer' });
  expect(rearm(listing, NOW, NOW)).toMatchObject({ settled: {}, waitingSince: NOW });
});

test.each(['INV_001', 'INV_002', 'PRD_016'])(
  'a value that was rejected with %s waits again after a repeated creation',
  (code) => {
    const listing = { ...listingOf(rejected(code)), createdAt: NOW };
    expect(rearm(listing, NOW, NOW)).toMatchObject({ settled: {}, waitingSince: NOW });
  },
);

test('a discarded value stays discarded', () => {
  const listing = listingOf(rejected('DISCARDED'));
  expect(rearm(listing, NOW, NOW).settled).toEqual(listing.settled);
});

test('a repeated creation sends no value twice', () => {
  const sentAgain = { ...listingOf(accepted), createdAt: NOW };
  expect(rearm(sentAgain, NOW, NOW + 1).waitingSince).toBeUndefined();
  expect(rearm(sentAgain, NOW + 1, NOW + 1).waitingSince).toBe(NOW + 1);
});

test.each(['accepted', 'rejected'] as const)(
  'a row signed before the creation was known and settled as %s does not settle the new product',
  (outcome) => {
    const rearmed = rearm(listingOf(accepted), NOW, NOW);
    const row = { registers: { stock: { value: 5, version: NOW - 1_000 } }, signedAt: NOW - 1 };
    const result = outcome === 'accepted' ? { outcome } : { outcome, code: 'INV_001' };
    expect(settleRow(rearmed, row, result, NOW).settled).toEqual({});
    expect(settleRow(rearmed, { ...row, signedAt: NOW + 1_001 }, result, NOW).settled.stock).toMatchObject(
      result,
    );
  },
);
