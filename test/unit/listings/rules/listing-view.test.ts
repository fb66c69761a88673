import { expect, test } from 'vitest';
import { viewOfListing } from '../../../../shared/listings/rules/listing-view.ts';
import { mergeChange } from '../../../../shared/listings/rules/merge-change.ts';
import { settleRow } from '../../../../shared/listings/rules/row.ts';

const NOW = Date.UTC(2026, 0, 1);

function change(version: number, stock: number) {
  return {
    storeClientId: 'store',
    target: 'sku:A',
    versionKind: 'time',
    version,
    values: { stock },
  } as const;
}

test('viewOfListing shows the desired, sent, accepted and rejected value of each register', () => {
  const first = mergeChange(undefined, change(NOW, 5), NOW);
  if (first.result !== 'changed') throw new Error('not merged');
  const row = { registers: { stock: { value: 5, version: NOW } }, signedAt: NOW + 1000 };
  const accepted = settleRow(first.listing, row, { outcome: 'accepted' }, NOW + 2000);
  const second = mergeChange(accepted, change(NOW + 5000, 7), NOW + 5000);
  if (second.result !== 'changed') throw new Error('not merged');
  const next = { registers: { stock: { value: 7, version: NOW + 5000 } }, signedAt: NOW + 6000 };
  const rejected = settleRow(second.listing, next, { outcome: 'rejected', code: 'INV_001' }, NOW + 7000);

  expect(viewOfListing(second.listing)).toMatchObject({
    next: ['stock'],
    waitingSince: '2026-01-01T00:00:05.000Z',
  });
  expect(viewOfListing(rejected)).toEqual({
    storeClientId: 'store',
    target: 'sku:A',
    versionKind: 'time',
    registers: {
      stock: {
        desired: { value: 7, version: NOW + 5000, occurredAt: '2026-01-01T00:00:05.000Z' },
        sent: { value: 7, version: NOW + 5000, at: '2026-01-01T00:00:06.000Z' },
        accepted: { value: 5, version: NOW, at: '2026-01-01T00:00:02.000Z' },
        rejected: { value: 7, version: NOW + 5000, at: '2026-01-01T00:00:07.000Z', code: 'INV_001' },
      },
    },
  });
});

test('viewOfListing shows lowered stock as next, and neither a held price nor a raise behind it', () => {
  const wanted = (values: object) => {
    const merge = mergeChange(undefined, { ...change(NOW, 5), values }, NOW);
    if (merge.result !== 'changed') throw new Error('not merged');
    return merge.listing;
  };
  const next = (values: object, pricesHeld: boolean) => viewOfListing(wanted(values), { pricesHeld }).next;
  expect(next({ price: 9, stock: 5 }, false)).toEqual(['price']);
  expect(next({ price: 9, stock: 5 }, true)).toBeUndefined();
  expect(next({ price: 9, stock: 0 }, true)).toEqual(['stock']);
});

test('viewOfListing shows the last seen live value, with the version of an equal value', () => {
  const first = mergeChange(undefined, change(NOW, 5), NOW);
  if (first.result !== 'changed') throw new Error('not merged');
  const row = { registers: { stock: { value: 5, version: NOW } }, signedAt: NOW + 1000 };
  const accepted = settleRow(first.listing, row, { outcome: 'accepted' }, NOW + 2000);
  const at = '2026-01-01T00:00:09.000Z';
  const seen = (stock: number) => viewOfListing({ ...accepted, live: { at, values: { stock, price: 3 } } });

  expect(seen(5)).toMatchObject({
    registers: { stock: { live: { value: 5, version: NOW, at } } },
    live: { at, values: { stock: 5, price: 3 } },
  });
  expect(seen(6).registers.stock?.live).toEqual({ value: 6, at });
  expect(viewOfListing(accepted)).not.toHaveProperty('live');
});

test('viewOfListing shows that the product is missing', () => {
  const first = mergeChange(undefined, change(NOW, 5), NOW);
  if (first.result !== 'changed') throw new Error('not merged');
  const live = { at: '2026-01-01T00:00:09.000Z', values: {}, missing: true } as const;
  const view = viewOfListing({ ...first.listing, live });
  expect(view.live).toEqual(live);
  expect(view.registers.stock).not.toHaveProperty('live');
});

test('viewOfListing shows the later of notBefore and backoff as the time of the next send', () => {
  const first = mergeChange(undefined, change(NOW, 5), NOW);
  if (first.result !== 'changed') throw new Error('not merged');
  const view = (notBefore: number, backoffUntil: number) =>
    viewOfListing({ ...first.listing, notBefore, backoffUntil }).notBefore;
  expect(view(NOW + 1000, NOW + 2000)).toBe('2026-01-01T00:00:02.000Z');
  expect(view(NOW + 3000, NOW + 2000)).toBe('2026-01-01T00:00:03.000Z');
});
