import { expect, test } from 'vitest';
import { EmptiedPages } from '../../../../shared/listings/pages/emptied-pages.ts';

const page = { storeClientId: 's-1', page: '3#0#1', targets: ['sku:A', 'sku:B'], since: 0, putAt: 0 };

function emptiedPages() {
  const deleted: string[] = [];
  const emptied = new EmptiedPages({ delete: async (_, name) => void deleted.push(name) });
  return { emptied, deleted };
}

test('a page is deleted when the last of its targets leaves', async () => {
  const { emptied, deleted } = emptiedPages();
  emptied.openOf(page, page.targets);
  await emptied.leave('s-1', page.page, 'sku:A');
  expect(deleted).toEqual([]);
  expect(emptied.openOf(page, page.targets)).toEqual(['sku:B']);
  await emptied.leave('s-1', page.page, 'sku:B');
  expect(deleted).toEqual([page.page]);
});

test('a read of a deleted page that began before its deletion looks at none of its targets again', async () => {
  const { emptied } = emptiedPages();
  emptied.openOf(page, page.targets);
  for (const target of page.targets) await emptied.leave('s-1', page.page, target);
  expect(emptied.openOf(page, page.targets)).toEqual([]);
});
