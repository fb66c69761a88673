import { expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { settleRow } from '../../../../shared/listings/rules/row.ts';
import { rearm } from '../../../../shared/listings/use-cases/rearm.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = new Date(NOW - 1000).toISOString();
const creation = { time: NOW - 5_000, at: NOW };

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
  'a value newer than the creation waits again, however it was settled: %j',
  (settled) => {
    expect(rearm(listingOf(settled), creation, NOW)).toMatchObject({
      settled: {},
      waitingSince: NOW,
      createdAt: NOW,
    });
  },
);

test('a value with an integer version is always newer than a creation', () => {
  const listing = listingOf(accepted, { version: 1, versionKind: 'integer' });
  expect(rearm(listing, creation, NOW)).toMatchObject({ settled: {}, waitingSince: NOW });
});

test('a value older than the creation stays settled, because the product was made with a newer one', () => {
  const listing = listingOf(accepted, { version: creation.time });
  const rearmed = rearm(listing, creation, NOW);
  expect(rearmed.settled).toEqual(listing.settled);
  expect(rearmed.waitingSince).toBeUndefined();
});

test.each(['INV_001', 'INV_002', 'PRD_016'])(
  'a value of any age that was rejected with %s waits again once its target exists',
  (code) => {
    const listing = listingOf(rejected(code), { version: 1 });
    expect(rearm(listing, creation, NOW)).toMatchObject({ settled: {}, waitingSince: NOW });
  },
);

test('a discarded value stays discarded', () => {
  const listing = listingOf(rejected('DISCARDED'));
  expect(rearm(listing, creation, NOW).settled).toEqual(listing.settled);
});

test('a repeated creation sends no value twice', () => {
  const sentAgain = { ...listingOf(accepted), createdAt: NOW };
  expect(rearm(sentAgain, creation, NOW + 1).waitingSince).toBeUndefined();
  expect(rearm(sentAgain, { ...creation, at: NOW + 1 }, NOW + 1).waitingSince).toBe(NOW + 1);
});

test.each(['accepted', 'rejected'] as const)(
  'a row signed before the creation was known and settled as %s does not settle the new product',
  (outcome) => {
    const rearmed = rearm(listingOf(accepted), creation, NOW);
    const row = { registers: { stock: { value: 5, version: NOW - 1_000 } }, signedAt: NOW - 1 };
    const result = outcome === 'accepted' ? { outcome } : { outcome, code: 'INV_001' };
    expect(settleRow(rearmed, row, result, NOW).settled).toEqual({});
    expect(settleRow(rearmed, { ...row, signedAt: NOW + 1_001 }, result, NOW).settled.stock).toMatchObject(
      result,
    );
  },
);
