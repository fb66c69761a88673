import type { PreparedPages } from '../ports.ts';
import type { WaitingPage, WaitingPageTable } from '../waiting-pages.ts';

/**
 * Pages that were put for updates. Once all listings of a page are written, it is put again as written: a reader then knows
 * at once which of its targets it need not look at. Without that, a listing that has moved on is read with every look.
 */
export function preparedPages(
  pages: Pick<WaitingPageTable, 'putAll'>,
  put: readonly WaitingPage[],
): PreparedPages {
  const pageOf = new Map(put.flatMap((page) => page.targets.map((target) => [target, page])));
  const open = new Map(put.map((page) => [page, new Set(page.targets)]));
  return {
    pageOf: (target) => pageOf.get(target)?.page,
    written: async (target) => {
      const page = pageOf.get(target);
      const left = page && open.get(page);
      if (page === undefined || !left?.delete(target) || left.size > 0) return;
      // A hint: without it, readers look for longer.
      await pages.putAll([{ ...page, isWritten: true }]).catch(() => undefined);
    },
  };
}
