import { expect, test } from 'vitest';
import { MAX_PRODUCT_BYTES } from '../../../../shared/products/model.ts';
import { requestsOf } from '../../../../shared/products/rules/plan-rows.ts';
import type { Command } from '../../../../shared/requests/model.ts';

const command = (commandId: string, facts: Partial<Command> = {}): Command => ({
  storeClientId: 's-1',
  commandId,
  eventId: commandId,
  detailType: 'product.create.requested',
  time: 0,
  ...facts,
});
const row = (of: Command, index: number, names: object = {}, item: unknown = {}) =>
  ({ kind: 'product-create', command: of, index, item, names }) as const;
const sizes = (rows: Parameters<typeof requestsOf>[0], itemsPerRequest = 10) =>
  requestsOf(rows, itemsPerRequest).map(({ rows }) => rows.length);
const [a, b] = [command('a'), command('b')];

test('a request has at most the allowed number of rows', () => {
  expect(sizes([row(a, 0), row(a, 1), row(b, 0)], 2)).toEqual([2, 1]);
});

test('a request has at most the allowed bytes, or one row of any size', () => {
  const large = { text: 'x'.repeat(MAX_PRODUCT_BYTES / 2) };
  expect(sizes([row(a, 0, {}, large), row(a, 1, {}, large), row(a, 2), row(a, 3)])).toEqual([1, 3]);
});

test('a request never names one product for two commands', () => {
  const [upper, lower] = [{ externalId: 'AB' }, { externalId: 'ab' }];
  expect(sizes([row(a, 0, upper), row(b, 0, lower)])).toEqual([1, 1]);
  expect(sizes([row(a, 0, { sku: 'x', ...upper }), row(b, 0, { sku: 'x' })])).toEqual([1, 1]);
  expect(sizes([row(a, 0, upper), row(a, 1, lower), row(b, 0, { sku: 'AB' })])).toEqual([3]);
});

test('rows of another kind or of a retry have separate requests', () => {
  const retry = command('r', { retryOf: 'b-1' });
  const rows = [row(a, 0), row(retry, 0), { ...row(b, 0), kind: 'catalog-sync' as const }, row(b, 1)];
  expect(requestsOf(rows, 10).map(({ kind, rows }) => [kind, rows.length])).toEqual([
    ['product-create', 2],
    ['product-create', 1],
    ['catalog-sync', 1],
  ]);
});
