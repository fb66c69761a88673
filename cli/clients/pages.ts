import * as z from 'zod';
import type { ApiCall, ApiClient, Path } from './api-client.ts';

const PAGE_SIZE = 1000;

interface Page {
  readonly cursor?: string | undefined;
}

/** The pages of a list of the operations API, to its end. */
export async function* pagesOf<T extends Page>(
  api: ApiClient,
  path: Path,
  schema: z.ZodType<T>,
  query: ApiCall['query'] = {},
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const page: T = await api.call(schema, 'GET', path, { query: { limit: PAGE_SIZE, ...query, cursor } });
    yield page;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

type List<T> = Readonly<Record<string, z.ZodType<T>>>;

/**
 * The first entries of a list of the operations API. A page may have few, or none, although later ones have more.
 *
 * @param list the name of the list in the answer, with the schema of its entries
 */
export async function firstEntries<T>(
  api: ApiClient,
  path: Path,
  list: List<T>,
  { limit, ...query }: ApiCall['query'] & { readonly limit: number },
): Promise<{ entries: T[]; hasMore: boolean }> {
  const [[name, schema] = ['', z.never()]] = Object.entries(list);
  const pageSchema = z.looseObject({ [name]: z.array(schema), cursor: z.string().optional() });
  const wanted = { ...query, limit: Math.min(limit, PAGE_SIZE) };
  const entries: T[] = [];
  for await (const page of pagesOf(
    api,
    path,
    pageSchema as z.ZodType<Page & Record<string, unknown>>,
    wanted,
  )) {
    entries.push(...(page[name] as T[]));
    const hasMore = entries.length > limit || page.cursor !== undefined;
    if (entries.length >= limit) return { entries: entries.slice(0, limit), hasMore };
  }
  return { entries, hasMore: false };
}

/**
 * Up to `limit` entries of a list of the operations API, and the cursor behind the last of them, if there are more. A page may have few,
 * or none, although later ones have more.
 */
export async function entriesFrom<T>(
  api: ApiClient,
  path: Path,
  list: List<T>,
  {
    limit,
    cursor,
    ...query
  }: ApiCall['query'] & { readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ entries: T[]; cursor?: string }> {
  const [[name, schema] = ['', z.never()]] = Object.entries(list);
  const pageSchema = z.looseObject({ [name]: z.array(schema), cursor: z.string().optional() });
  const entries: T[] = [];
  let next = cursor;
  do {
    const wanted = { ...query, limit: Math.min(limit - entries.length, PAGE_SIZE), cursor: next };
    const page: Page & Record<string, unknown> = await api.call(pageSchema, 'GET', path, { query: wanted });
    entries.push(...(page[name] as T[]));
    next = page.cursor;
  } while (next !== undefined && entries.length < limit);
  return { entries, ...(next !== undefined && { cursor: next }) };
}

/** All entries of a list of the operations API. */
export async function allPages<T>(api: ApiClient, path: Path, list: List<T>): Promise<T[]> {
  const { entries } = await firstEntries(api, path, list, { limit: Number.POSITIVE_INFINITY });
  return entries;
}
