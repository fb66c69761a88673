import { expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { mergeAliases } from '../../../../shared/listings/rules/merge-aliases.ts';

const listing = (target: string, over: Partial<Listing>): Listing => ({
  storeClientId: 's-1',
  target,
  versionKind: 'integer',
  desired: {},
  sent: {},
  settled: {},
  failures: 0,
  ...over,
});
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
