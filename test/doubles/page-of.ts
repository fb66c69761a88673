import type { PageRequest } from '../../shared/collections/page-request.ts';

/** One page of sorted entries; the cursor is the key of its last entry. */
export function pageOf<T>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
  { limit = entries.length, cursor }: PageRequest = {},
): { page: T[]; cursor?: string } {
  const start = cursor === undefined ? 0 : entries.findIndex((entry) => keyOf(entry) === cursor) + 1;
  const page = entries.slice(start, start + limit);
  const last = page.at(-1);
  const isMore = last !== undefined && start + page.length < entries.length;
  return { page, ...(isMore ? { cursor: keyOf(last) } : {}) };
}

/** Compares by code units, which is DynamoDB's order for ASCII strings. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
