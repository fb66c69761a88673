import { expect, test } from 'vitest';
import { next } from '../../../cli/commands/find.ts';
import type { Search } from '../../../shared/search/model.ts';

test('the command that shows a hit can be pasted, whatever its ID', () => {
  const order = { kind: 'order', storeClientId: 'store 1', what: 'an order', path: '/', trace: {} };
  const nextOf = (id: string) => next({ word: id, hits: [{ ...order, id }], hasMore: false } as Search);
  expect(nextOf('INV-1')).toEqual(["trace INV-1 --store 'store 1'"]);
  expect(nextOf('INV #1/2 50%')).toEqual(["trace 'INV #1/2 50%' --store 'store 1'"]);
  expect(nextOf('-1')).toEqual(["trace --store 'store 1' -- -1"]);
});

test('of a store that was never connected the command that shows what was rejected of it is named', () => {
  const nextOf = (path: string) =>
    next({ word: 's', hits: [{ kind: 'store', id: 's', what: 'a store', path }], hasMore: false } as Search);
  expect(nextOf('/stores/s/rejections')).toEqual(['rejections --store s']);
  expect(nextOf('/stores/s')).toEqual([]);
});
