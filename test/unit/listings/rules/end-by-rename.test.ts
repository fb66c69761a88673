import { expect, test } from 'vitest';
import type { Listing } from '../../../../shared/listings/model.ts';
import { endedByRename, movedChanges } from '../../../../shared/listings/rules/end-by-rename.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = new Date(NOW - 1000).toISOString();
const rename = { storeClientId: 'store', from: 'sku:A', to: 'sku:B', time: NOW };

/** Price 1000, which an operator has discarded, and stock 5. */
const listing: Listing = {
  storeClientId: 'store',
  target: 'sku:A',
  versionKind: 'time',
  desired: { price: { value: 1000, version: NOW - 2000 }, stock: { value: 5, version: NOW - 2000 } },
  sent: {},
  settled: { price: { value: 1000, version: NOW - 2000, at, outcome: 'rejected', code: 'DISCARDED' } },
  failures: 0,
};

test('a discarded price does not go with a renamed product: it would be sent under the new name', () => {
  expect(movedChanges(listing, rename)).toMatchObject([{ target: 'sku:B', values: { stock: 5 } }]);
  expect(movedChanges(listing, rename)[0]?.values).not.toHaveProperty('price');
});

test('in place of a discarded price the one accepted before it goes with a renamed product', () => {
  const acceptedBefore = { value: 10_000, version: NOW - 9000, at };
  const settled = { price: { ...listing.settled.price, acceptedBefore } } as Listing['settled'];
  expect(movedChanges({ ...listing, settled }, rename)).toMatchObject([
    { version: NOW - 9000, values: { price: 10_000 } },
    { version: NOW - 2000, values: { stock: 5 } },
  ]);
});

test('a price that came after a discarded one goes with a renamed product', () => {
  const newer = { ...listing, desired: { price: { value: 9000, version: NOW - 500 } } };
  expect(movedChanges(newer, rename)).toMatchObject([{ values: { price: 9000 } }]);
});

test('the listing of the old name keeps no discarded value, and says which did not go with the product', () => {
  const ended = endedByRename(listing, rename, NOW);
  expect(ended).toMatchObject({ desired: {}, settled: {}, renamed: { to: 'sku:B', discarded: ['price'] } });
  const { price: _, ...settled } = listing.settled;
  expect(endedByRename({ ...listing, settled }, rename, NOW)?.renamed).not.toHaveProperty('discarded');
});
