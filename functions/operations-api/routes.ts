import { attentionRoutes } from './attention.ts';
import { batchRoutes } from './batches.ts';
import { catalogRoutes } from './catalog.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { descriptionRoutes } from './description.ts';
import { documentRoutes } from './documents.ts';
import { driftRoutes } from './drift.ts';
import { erasureRoutes } from './erasure.ts';
import { flowRoutes } from './flow.ts';
import { importRoutes } from './imports.ts';
import { listingRoutes } from './listings.ts';
import { marketplaceRoutes } from './marketplace.ts';
import { orderRoutes } from './orders.ts';
import { priceGuardRoutes } from './price-guards.ts';
import { productChangeRoutes } from './product-changes.ts';
import { rejectionRoutes } from './rejections.ts';
import { restoreRoutes } from './restore.ts';
import type { Route } from './route.ts';
import { searchRoutes } from './search.ts';
import { selfTestRoutes } from './self-test.ts';
import { storeRoutes } from './stores.ts';
import { traceRoutes } from './trace.ts';
import { unresolvedBatchRoutes } from './unresolved-batches.ts';

const groups = [
  storeRoutes,
  rejectionRoutes,
  batchRoutes,
  unresolvedBatchRoutes,
  selfTestRoutes,
  restoreRoutes,
  attentionRoutes,
  deadLetterRoutes,
  flowRoutes,
  importRoutes,
  traceRoutes,
  searchRoutes,
  marketplaceRoutes,
  listingRoutes,
  priceGuardRoutes,
  driftRoutes,
  catalogRoutes,
  productChangeRoutes,
  orderRoutes,
  erasureRoutes,
  documentRoutes,
  descriptionRoutes,
];

export type RoutesPorts = (typeof groups)[number] extends (ports: infer Ports) => Route[] ? Ports : never;

/** All routes of the operations API, the same as in the stack. */
export function createRoutes(ports: RoutesPorts): Route[] {
  return groups.flatMap((routesOf) => routesOf(ports));
}
