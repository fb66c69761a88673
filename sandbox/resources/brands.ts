import * as z from 'zod';
import { bare } from '../api/answers.ts';
import { type Endpoint, openEndpoint } from '../api/endpoint.ts';
import { paging, uuid } from '../schemas/common.ts';
import { BRANDS } from '../state/brands.ts';

/** §4.20: without authentication and without envelope. */
export const brands: Endpoint = openEndpoint({
  operationId: 'searchBrands',
  section: '4.20',
  summary: 'Search brands',
  method: 'GET',
  path: '/partner/reference/brands',
  query: z.looseObject({ q: z.string().min(2, 'q must be at least 2 characters').optional(), ...paging }),
  answer: z.object({
    success: z.literal(true),
    message: z.string(),
    data: z.array(z.object({ id: uuid, name: z.string() })),
    meta: z.object({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() }),
  }),
  envelope: 'bare',
  handle: ({ query: { q, page, limit } }) => {
    const found = BRANDS.filter(({ name }) => name.toLowerCase().includes((q ?? '').toLowerCase()));
    const total = found.length;
    const meta = { page, limit, total, totalPages: Math.ceil(total / limit) };
    const data = found.slice((page - 1) * limit, page * limit);
    return bare({ success: true, message: 'Brands retrieved', data, meta });
  },
});
