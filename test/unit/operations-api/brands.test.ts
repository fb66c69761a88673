import { afterEach, expect, test, vi } from 'vitest';
import { marketplaceRoutes } from '../../../functions/operations-api/marketplace.ts';
import { requestTo } from './request.ts';

afterEach(() => vi.restoreAllMocks());

test('a search for brands is aborted before the HTTP API gives up on it', async () => {
  const { signal } = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(signal);
  const searchBrands = vi.fn(async () => ({
    data: [],
    meta: { page: 1, limit: 50, total: 0, totalPages: 0 },
  }));
  const routes = marketplaceRoutes({ marketplace: { searchBrands } } as never);
  const route = routes.find(({ key }) => key === 'GET /brands') ?? expect.unreachable();

  await expect(route.handle(requestTo(route.key))).resolves.toMatchObject({ status: 200 });
  expect(searchBrands).toHaveBeenCalledWith({}, { signal });
  expect(AbortSignal.timeout).toHaveBeenCalledWith(25_000);
});
