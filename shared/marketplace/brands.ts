import * as z from 'zod';
import { json } from './answers.ts';
import type { Call } from './call.ts';
import { answerList } from './fields.ts';
import type { CallOptions } from './options.ts';
import { pagesOf } from './products.ts';

/** Query of §4.20. */
export const brandQuery = z.strictObject({
  q: z.string().min(2).optional(),
  /** From 1. */
  page: z.int().positive().optional(),
  limit: z.int().positive().optional(),
});
type BrandQuery = z.infer<typeof brandQuery>;

const brand = z.looseObject({ id: z.string(), name: z.string() });

/** Answer of §4.20: its `meta` holds the pagination, and it has no `requestId`. */
export const brandPage = z.looseObject({
  success: z.boolean().optional(),
  message: z.string().optional().catch(undefined),
  data: answerList(brand),
  meta: z.looseObject({ page: z.number(), limit: z.number(), total: z.number(), totalPages: z.number() }),
});

/** The calls that search brands; they need no credentials. */
export function brandCallsOver(call: Call) {
  /** Searches brand references, one page (§4.20). */
  const searchBrands = (query: BrandQuery = {}, options?: CallOptions) =>
    call(
      {
        method: 'GET',
        path: '/partner/reference/brands',
        as: 'anyone',
        query: { schema: brandQuery, value: query },
      },
      json(brandPage),
      options,
    );

  return {
    searchBrands,

    /** Yields all brands found, page by page from `query.page` on (§4.20). */
    iterateBrands: (query: BrandQuery = {}, options?: CallOptions) =>
      pagesOf(query.page ?? 1, async (page) => {
        const { data, meta } = await searchBrands({ ...query, page }, options);
        return { items: data, hasNext: page < meta.totalPages };
      }),
  };
}
