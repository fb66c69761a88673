import { z } from 'zod';
import { openApiDocument } from '../../shared/api-description/openapi.ts';
import { attentionRoutes } from './attention.ts';
import { batchRoutes } from './batches.ts';
import { catalogRoutes } from './catalog.ts';
import { documentRoutes } from './documents.ts';
import { driftRoutes } from './drift.ts';
import { flowRoutes } from './flow.ts';
import { importRoutes } from './imports.ts';
import { listingRoutes } from './listings.ts';
import { marketplaceRoutes } from './marketplace.ts';
import { orderRoutes } from './orders.ts';
import { priceGuardRoutes } from './price-guards.ts';
import { productChangeRoutes } from './product-changes.ts';
import { type Route, route } from './route.ts';
import { storeRoutes } from './stores.ts';
import { traceRoutes } from './trace.ts';
import { unresolvedBatchRoutes } from './unresolved-batches.ts';

const groups = [
  storeRoutes,
  batchRoutes,
  unresolvedBatchRoutes,
  attentionRoutes,
  flowRoutes,
  importRoutes,
  traceRoutes,
  marketplaceRoutes,
  listingRoutes,
  priceGuardRoutes,
  driftRoutes,
  catalogRoutes,
  productChangeRoutes,
  orderRoutes,
  documentRoutes,
];

export type RoutesPorts = (typeof groups)[number] extends (ports: infer Ports) => Route[] ? Ports : never;

/** All routes of the operations API, the same as in the stack. */
export function createRoutes(ports: RoutesPorts): Route[] {
  const routes = groups.flatMap((routesOf) => routesOf(ports));
  const self: Route = route(
    'GET /openapi.json',
    { summary: 'This description', answers: { 200: z.looseObject({ openapi: z.string() }) } },
    async () => openApiDocument([...routes, self]),
  );
  return [...routes, self];
}
