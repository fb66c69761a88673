import { z } from 'zod';
import { listedBatchSchema } from '../../shared/batches/model.ts';
import type { ApiCall, ApiClient, Path } from './api-client.ts';

const PAGE_SIZE = 1000;

/** A page of `GET /batches`. */
export const batchPageSchema = z.object({
  batches: z.array(listedBatchSchema),
  cursor: z.string().optional(),
});

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

/**
 * All entries of a list of the operations API.
 *
 * @param list the name of the list in the answer, with the schema of its entries
 */
export async function allPages<T>(
  api: ApiClient,
  path: Path,
  list: Readonly<Record<string, z.ZodType<T>>>,
  query: ApiCall['query'] = {},
): Promise<T[]> {
  const [[name, schema] = ['', z.never()]] = Object.entries(list);
  const pageSchema = z.looseObject({ [name]: z.array(schema), cursor: z.string().optional() });
  const all: T[] = [];
  for await (const page of pagesOf(api, path, pageSchema as z.ZodType<Page & Record<string, unknown>>, query))
    all.push(...(page[name] as T[]));
  return all;
}
