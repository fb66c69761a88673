import { z } from 'zod';
import type { ApiCall, ApiClient, Path } from './api-client.ts';

const PAGE_SIZE = 1000;

/**
 * All entries of a list of the operations API, page by page.
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
  const page = z.looseObject({ [name]: z.array(schema), cursor: z.string().optional() });
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const answer = await api.call(page, 'GET', path, { query: { limit: PAGE_SIZE, ...query, cursor } });
    all.push(...(answer[name] as T[]));
    cursor = answer.cursor as string | undefined;
  } while (cursor !== undefined);
  return all;
}
