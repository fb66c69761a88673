import { randomUUID } from 'node:crypto';
import type { PageRequest } from '../../../shared/collections/page-request.ts';

/** An ID that no other test uses: the real tables are shared. */
export function freshId(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}

/** Entries of a page; small, so that a list has several. */
const PAGE_SIZE = 2;
const MAX_PAGES = 1_000;

/** Reads a list to its end, in pages of two. */
export async function readAllPages<T>(
  read: (request: PageRequest) => Promise<{ entries: T[]; cursor?: string }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await read({ limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
    if (page.entries.length > PAGE_SIZE) throw new Error(`a page of ${page.entries.length} entries`);
    all.push(...page.entries);
    cursor = page.cursor;
    if (cursor === undefined) return all;
  }
  throw new Error('the list has no end');
}
