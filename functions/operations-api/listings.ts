import * as z from 'zod';
import { incomingDetailSchemas, writeIncomingEvent } from '../../shared/events/incoming.ts';
import type { GuardTable } from '../../shared/guards/ports.ts';
import { listingViewSchema, viewOfListing } from '../../shared/listings/rules/listing-view.ts';
import { fieldsOfTarget, nameOfTarget, targetFault, targetOf } from '../../shared/listings/rules/target.ts';
import {
  findListing,
  type RefreshListingPorts,
  refreshListing,
} from '../../shared/listings/use-cases/read-listing.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { forStore, getStore, storePath } from './for-store.ts';
import { type Route, route } from './route.ts';

export interface ListingRoutesPorts extends ForConnectedStorePorts, RefreshListingPorts {
  readonly changesQueue: { send(bodies: readonly string[]): Promise<void> };
  readonly guards: Pick<GuardTable, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A target, with a UUID in lower case as in listings. */
export const targetSchema = z
  .string()
  .refine(isTarget, 'must be sku:…, id:… or externalId:…')
  .transform((text) => targetOf(fieldsOfTarget(text)));

const listingQuery = z.strictObject({
  target: targetSchema,
  /** Whether to read the product at the marketplace first. */
  refresh: z.stringbool().default(false),
});

/** The queued event. Its rejected rows have its `eventId`. */
const takenSchema = z.object({ eventId: z.string(), items: z.int() });

/** Stock and price changes with the same effect as the events, and the state of a listing. */
export function listingRoutes(ports: ListingRoutesPorts): Route[] {
  return [
    changeRoute(ports, 'POST /stores/{storeClientId}/stock', 'stock.changed'),
    changeRoute(ports, 'POST /stores/{storeClientId}/prices', 'price.changed'),

    route(
      'GET /stores/{storeClientId}/listings',
      {
        summary:
          "A target's values: desired, sent, accepted, last read at the marketplace; `refresh=true` reads them now",
        path: storePath,
        query: listingQuery,
        answers: { 200: listingViewSchema },
      },
      async ({ path: { storeClientId }, query: { target, refresh } }) => {
        await getStore(ports.stores, storeClientId);
        const listing = refresh
          ? await forStore(ports, storeClientId, (store, options) =>
              refreshListing(ports, store, target, options),
            )
          : await findListing(ports, storeClientId, target);
        const pricesHeld = (await ports.guards.get(storeClientId))?.hold !== undefined;
        return viewOfListing(listing, { pricesHeld });
      },
    ),
  ];
}

/** Queues the body as an event. */
function changeRoute(
  { stores, changesQueue, clock }: ListingRoutesPorts,
  key: string,
  detailType: 'stock.changed' | 'price.changed',
): Route {
  const summary = `Changes ${detailType === 'stock.changed' ? 'stock' : 'prices'}, with the same effect as the event`;
  // Strict, as all bodies: a misspelled `occurredAt` would give the items the time of the call.
  const body = incomingDetailSchemas[detailType].omit({ storeClientId: true }).strict();
  return route(
    key,
    { summary, path: storePath, body, answers: { 202: takenSchema } },
    async ({ path, body, requestId }) => {
      await getStore(stores, path.storeClientId);
      const event = { id: requestId, time: clock.now(), detailType, detail: { ...body, ...path } };
      await changesQueue.send([writeIncomingEvent(event)]);
      return { eventId: requestId, items: body.items.length };
    },
  );
}

function isTarget(text: string): boolean {
  try {
    const name = nameOfTarget(text);
    // A UUID in lower case may take more bytes.
    return text.length > name.length + 1 && targetFault(targetOf(fieldsOfTarget(text))) === undefined;
  } catch {
    return false;
  }
}
