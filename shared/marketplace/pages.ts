/** More pages than any catalog has: ends a walk on which the server always promises another page. */
const MAX_PAGES = 100_000;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
}

/**
 * Walks pages and yields their items, one page in memory at a time. An empty page ends the walk whatever it promises.
 *
 * @param first number of the first page.
 */
export async function* pagesOf<Item>(
  first: number,
  fetchPage: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let page = first; page < first + MAX_PAGES; page++) {
    const { items, hasNext } = await fetchPage(page);
    yield* items;
    if (!hasNext || items.length === 0) return;
  }
}
