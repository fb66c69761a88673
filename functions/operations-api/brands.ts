import { z } from 'zod';
import { brandPage } from '../../shared/marketplace/brands.ts';
import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { type Route, route } from './route.ts';

const count = z.coerce.number().int().min(1);
const brandQuery = z.strictObject({
  q: z.string().min(2).max(200).optional(),
  page: count.optional(),
  limit: count.max(1000).optional(),
});

/** Brand references, a page at a time. */
export function brandRoutes({
  marketplace,
}: {
  marketplace: Pick<MarketplaceClient, 'searchBrands'>;
}): Route[] {
  return [
    route(
      'GET /brands',
      { summary: 'Searches brand references (§4.20)', query: brandQuery, answers: { 200: brandPage } },
      async ({ query }) => ({ status: 200, body: await marketplace.searchBrands(query) }),
    ),
  ];
}
