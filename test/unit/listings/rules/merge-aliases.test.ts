import { expect, test } from 'vitest';
import { mergeAliases } from '../../../../shared/listings/rules/merge-aliases.ts';
import { listingOf as listing } from '../listing-of.ts';

const stock = { stock: { value: 5, version: 1 } };

test.each([
  [undefined, 1_000, 1_000],
  [1_000, undefined, 1_000],
  [2_000, 1_000, 1_000],
])(
  'what waits since %s under one name and since %s under the other waits since %s',
  (own, others, expected) => {
    const since = (waitingSince: number | undefined) => (waitingSince === undefined ? {} : { waitingSince });
    const keeper = listing('id:P', since(own));
    const alias = listing('sku:A', { desired: stock, ...since(others) });
    expect(mergeAliases(keeper, alias, 9_000).waitingSince).toBe(expected);
  },
);

test('what stands in place of a discarded price is the newest that was accepted under either name', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const accepted = (value: number, version: number) => ({ value, version, at, outcome: 'accepted' }) as const;
  const discarded = {
    ...({ value: 13, version: 30, at, outcome: 'rejected', code: 'DISCARDED' } as const),
    acceptedBefore: { value: 1, version: 10, at },
  } as const;
  const keeper = listing('id:P', {
    desired: { price: { value: 4, version: 20 } },
    settled: { price: accepted(4, 20) },
  });
  const alias = listing('sku:A', {
    desired: { price: { value: 13, version: 30 } },
    settled: { price: discarded },
  });
  expect(mergeAliases(keeper, alias, 9_000).settled.price).toMatchObject({
    value: 13,
    acceptedBefore: { value: 4, version: 20 },
  });
});
