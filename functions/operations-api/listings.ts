import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ForConnectedStorePorts } from '../../shared/commands/use-cases/for-connected-store.ts';
import { incomingDetailSchemas } from '../../shared/events/incoming.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import type { Listing } from '../../shared/listings/model.ts';
import type { ListingTable } from '../../shared/listings/ports.ts';
import { listingViewSchema, viewOfListing } from '../../shared/listings/rules/listing-view.ts';
import { targetFault } from '../../shared/listings/rules/room.ts';
import { fieldsOfTarget } from '../../shared/listings/rules/target.ts';
import { readLive } from '../../shared/listings/use-cases/read-live.ts';
import { getListing } from '../../shared/listings/use-cases/update-listing.ts';
import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { forStore } from './for-store.ts';
import { inTime } from './in-time.ts';
import { type Route, route } from './route.ts';
import { getStore, storePath } from './stores.ts';

export interface ListingRoutesPorts extends ForConnectedStorePorts {
  readonly listings: Pick<ListingTable, 'get'>;
  /** Whose reads of products are recorded in their listings. */
  readonly marketplace: Pick<MarketplaceClient, 'getProduct' | 'getProductBySku'>;
  readonly changesQueue: { send(bodies: readonly string[]): Promise<void> };
  readonly clock: Pick<Clock, 'now'>;
}

const listingQuery = z.object({
  target: z.string().refine(isTarget, 'must be sku:…, id:… or externalId:…'),
  /** Whether the product is to be read at the marketplace first. */
  refresh: z.stringbool().default(false),
});

/** What was queued; its rejected rows are found by `eventId`. */
const takenSchema = z.object({ eventId: z.string(), items: z.int() });

/** Stock and price changes, with the same effect as the events; one listing as it stands. */
export function listingRoutes(ports: ListingRoutesPorts): Route[] {
  return [
    changeRoute(ports, 'POST /stores/{storeClientId}/stock', 'stock.changed'),
    changeRoute(ports, 'POST /stores/{storeClientId}/prices', 'price.changed'),

    route(
      'GET /stores/{storeClientId}/listings',
      {
        summary:
          "A target's values: desired, sent, accepted, and last seen live; `refresh=true` reads them first",
        path: storePath,
        query: listingQuery,
        answers: { 200: listingViewSchema },
      },
      async ({ path: { storeClientId }, query: { target, refresh } }) => {
        const known = await findListing(ports, storeClientId, target);
        if (!refresh) return { status: 200, body: viewOfListing(known) };
        await forStore(ports, storeClientId, (store) =>
          readLive(ports.marketplace, store, known.target, inTime()),
        );
        return { status: 200, body: viewOfListing(await findListing(ports, storeClientId, target)) };
      },
    ),
  ];
}

async function findListing(
  { listings }: Pick<ListingRoutesPorts, 'listings'>,
  storeClientId: string,
  target: string,
): Promise<Listing> {
  const listing = await getListing(listings, storeClientId, target);
  if (listing === undefined) throw new HttpError(404, 'LISTING_UNKNOWN', `no listing of ${target}`);
  return listing;
}

/** Queues the body as the event that it is; answers 202 with the event's ID, under which rejected rows are found. */
function changeRoute(
  { stores, changesQueue, clock }: ListingRoutesPorts,
  key: string,
  detailType: 'stock.changed' | 'price.changed',
): Route {
  const summary = `Takes changes of ${detailType === 'stock.changed' ? 'stock' : 'prices'} in, as the event does`;
  const body = incomingDetailSchemas[detailType].omit({ storeClientId: true });
  return route(
    key,
    { summary, path: storePath, body, answers: { 202: takenSchema } },
    async ({ path, body }) => {
      await getStore(stores, path.storeClientId);
      const id = randomUUID();
      const time = new Date(clock.now()).toISOString();
      const detail = { occurredAt: body.version === undefined ? time : undefined, ...body, ...path };
      await changesQueue.send([JSON.stringify({ id, time, 'detail-type': detailType, detail })]);
      return { status: 202, body: { eventId: id, items: body.items.length } };
    },
  );
}

function isTarget(text: string): boolean {
  try {
    fieldsOfTarget(text);
    return !text.endsWith(':') && targetFault(text) === undefined;
  } catch {
    return false;
  }
}
