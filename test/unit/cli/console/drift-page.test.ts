import { expect, test } from 'vitest';
import { driftPageQuery, readDriftPage } from '../../../../cli/console/data/drift-page.ts';

test('the drift of a store is read page by page, to the end', async () => {
  const asked: unknown[] = [];
  const entry = (target: string) => ({
    kind: 'missing-product',
    target,
    since: '2026-11-22T08:00:00.000Z',
  });
  const api = {
    call: async (
      schema: { parse(value: unknown): unknown },
      _: string,
      __: unknown,
      { query }: { query: { cursor?: string } },
    ) => {
      asked.push(query);
      const page =
        query.cursor === undefined
          ? { entries: [entry('sku:A')], cursor: 'c' }
          : { entries: [entry('sku:B')] };
      return schema.parse({ verification: {}, ...page });
    },
  };
  const options = { api, target: { options: [] } } as never;
  const first = await readDriftPage(options, 's-1', driftPageQuery.parse({ limit: '1' }));
  expect(first).toMatchObject({ entries: [{ target: 'sku:A' }], cursor: 'c' });
  const { cursor } = first;
  const second = await readDriftPage(options, 's-1', driftPageQuery.parse({ limit: '1', cursor }));
  expect(second.entries).toMatchObject([{ target: 'sku:B' }]);
  expect(second).not.toHaveProperty('cursor');
  expect(asked).toEqual([{ limit: 1 }, { limit: 1, cursor: 'c' }]);
});
