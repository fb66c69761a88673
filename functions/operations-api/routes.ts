import { batchRoutes } from './batches.ts';
import { brandRoutes } from './brands.ts';
import { catalogRoutes } from './catalog.ts';
import { documentRoutes } from './documents.ts';
import { listingRoutes } from './listings.ts';
import { openApiRoute } from './openapi.ts';
import { orderRoutes } from './orders.ts';
import { priceGuardRoutes } from './price-guards.ts';
import { productChangeRoutes } from './product-changes.ts';
import { productRoutes } from './products.ts';
import type { Route } from './route.ts';
import { storeRoutes } from './stores.ts';
import { warehouseRoutes } from './warehouses.ts';

/** Everything that the routes reach. */
export type RoutesPorts = Parameters<typeof storeRoutes>[0] &
  Parameters<typeof batchRoutes>[0] &
  Parameters<typeof productRoutes>[0] &
  Parameters<typeof warehouseRoutes>[0] &
  Parameters<typeof listingRoutes>[0] &
  Parameters<typeof priceGuardRoutes>[0] &
  Parameters<typeof catalogRoutes>[0] &
  Parameters<typeof productChangeRoutes>[0] &
  Parameters<typeof documentRoutes>[0] &
  Parameters<typeof brandRoutes>[0] & {
    /** For what is performed as commands are. */
    readonly ledger: Parameters<typeof orderRoutes>[0];
  };

/** All routes of the operations API; the stack declares the same ones. */
export function createRoutes(ports: RoutesPorts): Route[] {
  const routes = [
    ...storeRoutes(ports),
    ...batchRoutes(ports),
    ...productRoutes(ports),
    ...warehouseRoutes(ports),
    ...listingRoutes(ports),
    ...priceGuardRoutes(ports),
    ...catalogRoutes(ports),
    ...productChangeRoutes(ports),
    ...orderRoutes(ports.ledger),
    ...documentRoutes(ports),
    ...brandRoutes(ports),
  ];
  return [...routes, openApiRoute(routes)];
}
