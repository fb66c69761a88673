import type { OtherMarketplace } from '../connector-run.ts';
import { withDirectClient } from '../direct-client.ts';
import { changeProducts } from './change-products.ts';
import type { TourContext, TourLine } from './context.ts';
import { followStore } from './follow-store.ts';
import { handleOrders } from './handle-orders.ts';
import { importCatalog } from './import-catalog.ts';
import { pushStock } from './push-stock.ts';
import { searchBrands } from './search-brands.ts';

/** The guided tour: a catalog file, stock changes, product changes, an order with its documents, brands, a store. */
export async function takeTour(
  context: Omit<TourContext, 'marketplace'>,
  credentials: OtherMarketplace,
): Promise<TourLine[]> {
  return withDirectClient(credentials, async (marketplace) => {
    const tour = { ...context, marketplace };
    return [
      await importCatalog(tour),
      await pushStock(tour),
      ...(await changeProducts(tour)),
      ...(await handleOrders(tour)),
      await searchBrands(tour),
      ...(await followStore(tour)),
    ];
  });
}
