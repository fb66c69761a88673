import * as z from 'zod';
import { definedOf } from '../../shared/collections/defined-of.ts';
import type { ApiCall, ApiClient, Path } from './api-client.ts';

const PAGE_SIZE = 1000;

/** What an answer has beside its list. */
const besideListSchema = z.object({ cursor: z.string().optional(), message: z.string().optional() });

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

/** The name of a list in the answer, with the schema of its entries. */
type List<T> = Readonly<Record<string, z.ZodType<T>>>;

function pageSchemaOf<T>(list: List<T>) {
  const [[name, schema] = ['', z.never()]] = Object.entries(list);
  return z
    .looseObject({ [name]: z.array(schema) })
    .transform((page) => ({ entries: page[name] as T[], ...besideListSchema.parse(page) }));
}

/** The entries of a list of the operations API, to its end. */
export async function* entriesOf<T>(api: ApiClient, path: Path, list: List<T>): AsyncGenerator<T> {
  for await (const { entries } of pagesOf(api, path, pageSchemaOf(list))) yield* entries;
}

/** The first entries of a list of the operations API, and whether there are more. */
export async function firstEntries<T>(
  api: ApiClient,
  path: Path,
  list: List<T>,
  query: ApiCall['query'] & { readonly limit: number },
): Promise<{ entries: T[]; hasMore: boolean }> {
  const { entries, cursor } = await entriesFrom(api, path, list, query);
  const { limit } = query;
  return { entries: entries.slice(0, limit), hasMore: entries.length > limit || cursor !== undefined };
}

/**
 * Up to `limit` entries of a list of the operations API, and the cursor behind the last of them, if there are more. A page may have few,
 * or none, although later ones have more. `message`: what the answer says of the list, if it does.
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
): Promise<{ entries: T[]; cursor?: string; message?: string }> {
  const schema = pageSchemaOf(list);
  const entries: T[] = [];
  let next = cursor;
  let message: string | undefined;
  do {
    const wanted = { ...query, limit: Math.min(limit - entries.length, PAGE_SIZE), cursor: next };
    const page = await api.call(schema, 'GET', path, { query: wanted });
    entries.push(...page.entries);
    message ??= page.message;
    next = page.cursor;
  } while (next !== undefined && entries.length < limit);
  return { entries, ...definedOf({ cursor: next, message }) };
}

/** All entries of a list of the operations API. */
export async function allPages<T>(api: ApiClient, path: Path, list: List<T>): Promise<T[]> {
  const { entries } = await entriesFrom(api, path, list, { limit: Number.POSITIVE_INFINITY });
  return entries;
}
