import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ApiClient } from '../../../cli/clients/api-client.ts';
import { allPages, firstEntries } from '../../../cli/clients/pages.ts';

/** An API that gives these pages. */
function setUp(pages: readonly (readonly number[])[]) {
  const limits: unknown[] = [];
  const api: Pick<ApiClient, 'call'> = {
    call: async (schema, _method, _path, { query = {} } = {}) => {
      limits.push(query.limit);
      const index = Number(query.cursor ?? 0);
      const isLast = index === pages.length - 1;
      return schema.parse({ numbers: pages[index], ...(!isLast && { cursor: String(index + 1) }) });
    },
  };
  const list = { numbers: z.number() };
  return {
    limits,
    first: (limit: number) => firstEntries(api as ApiClient, ['numbers'], list, { limit }),
    all: () => allPages(api as ApiClient, ['numbers'], list),
  };
}

test('the first entries of a list are found behind pages that have none', async () => {
  const { first } = setUp([[], [], [1], [2, 3], [4]]);
  expect(await first(1)).toEqual({ entries: [1], hasMore: true });
  expect(await first(2)).toEqual({ entries: [1, 2], hasMore: true });
  expect(await first(4)).toEqual({ entries: [1, 2, 3, 4], hasMore: false });
  expect(await setUp([[], []]).first(1)).toEqual({ entries: [], hasMore: false });
});

test('a page has at most 1000 entries, whatever is asked for', async () => {
  const { limits, first, all } = setUp([[1]]);
  await first(20);
  await first(5000);
  expect(await all()).toEqual([1]);
  expect(limits).toEqual([20, 1000, 1000]);
});
