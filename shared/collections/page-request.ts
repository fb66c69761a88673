/** One page of a list: its largest number of entries, and the cursor of the previous page. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The pages of a list, read one by one. `read` gets the cursor of the previous page, if any. */
export async function* eachPage<Page extends { readonly cursor?: string }>(
  read: (request: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let page = await read({});
  yield page;
  while (page.cursor !== undefined) {
    page = await read({ cursor: page.cursor });
    yield page;
  }
}
