import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { incomingDetailSchemas } from '../../shared/events/incoming.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import type { ListingTable } from '../../shared/listings/ports.ts';
import { viewOfListing } from '../../shared/listings/rules/listing-view.ts';
import { fieldsOfTarget } from '../../shared/listings/rules/target.ts';
import { getListing } from '../../shared/listings/use-cases/update-listing.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Route, route } from './route.ts';
import { getStore, storePath } from './stores.ts';

export interface ListingRoutesPorts {
  readonly listings: Pick<ListingTable, 'get'>;
  readonly stores: Pick<StoreTable, 'get'>;
  readonly changesQueue: { send(bodies: readonly string[]): Promise<void> };
  readonly clock: Pick<Clock, 'now'>;
}

const targetQuery = z.object({
  target: z.string().refine(isTarget, 'must be sku:…, id:… or externalId:…'),
});

/** Stock and price changes, with the same effect as the events; one listing as it stands. */
export function listingRoutes(ports: ListingRoutesPorts): Route[] {
  return [
    changeRoute(ports, 'POST /stores/{storeClientId}/stock', 'stock.changed'),
    changeRoute(ports, 'POST /stores/{storeClientId}/prices', 'price.changed'),

    route(
      'GET /stores/{storeClientId}/listings',
      { path: storePath, query: targetQuery },
      async ({ path: { storeClientId }, query: { target } }) => {
        const listing = await getListing(ports.listings, storeClientId, target);
        if (listing === undefined) throw new HttpError(404, 'LISTING_UNKNOWN', `no listing of ${target}`);
        return { status: 200, body: viewOfListing(listing) };
      },
    ),
  ];
}

/** Queues the body as the event that it is; answers 202 with the event's ID, under which rejected rows are found. */
function changeRoute(
  { stores, changesQueue, clock }: ListingRoutesPorts,
  key: string,
  detailType: 'stock.changed' | 'price.changed',
): Route {
  const body = incomingDetailSchemas[detailType].omit({ storeClientId: true });
  return route(key, { path: storePath, body }, async ({ path, body }) => {
    await getStore(stores, path.storeClientId);
    const id = randomUUID();
    const time = new Date(clock.now()).toISOString();
    const detail = { occurredAt: body.version === undefined ? time : undefined, ...body, ...path };
    await changesQueue.send([JSON.stringify({ id, time, 'detail-type': detailType, detail })]);
    return { status: 202, body: { eventId: id, items: body.items.length } };
  });
}

function isTarget(text: string): boolean {
  try {
    fieldsOfTarget(text);
    return !text.endsWith(':');
  } catch {
    return false;
  }
}
