import * as z from 'zod';
import type { QueueSender } from '../../shared/aws/queue-sender.ts';
import { isObject } from '../../shared/collections/parse-json.ts';
import { incomingDetailSchemas, writeIncomingEvent } from '../../shared/events/incoming.ts';
import type { GuardTable } from '../../shared/guards/ports.ts';
import { holdsPrices } from '../../shared/guards/rules/price-guard.ts';
import type { ListingTable } from '../../shared/listings/ports.ts';
import { listingViewSchema, viewOfListing } from '../../shared/listings/rules/listing-view.ts';
import { fieldsOfTarget, nameOfTarget, targetFault, targetOf } from '../../shared/listings/rules/target.ts';
import {
  findListing,
  type RefreshListingPorts,
  refreshListing,
} from '../../shared/listings/use-cases/read-listing.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { Warnings, warningSchema } from '../../shared/warnings/model.ts';
import { unseenCharacters } from '../../shared/warnings/unseen-characters.ts';
import { forStore, getStore, storePath } from './for-store.ts';
import { pageOf, pageQuery, type Route, route } from './route.ts';

export interface ListingRoutesPorts extends ForConnectedStorePorts, RefreshListingPorts {
  readonly changesQueue: QueueSender;
  readonly listings: Pick<ListingTable, 'get' | 'list'>;
  readonly guards: Pick<GuardTable, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A target, with a UUID in lower case as in listings. */
export const targetSchema = z
  .string()
  .refine(isTarget, 'must be sku:…, id:… or externalId:…')
  .transform((text) => targetOf(fieldsOfTarget(text)));

/** One listing by its target, or a page of the store's listings. */
const listingQuery = z.strictObject({
  target: targetSchema.optional(),
  /** Whether to read the product at the marketplace first. */
  refresh: z.stringbool().default(false),
  ...pageQuery,
});

/** The queued event. Rejected rows of the event have its `eventId`. */
const takenSchema = z.object({
  eventId: z.string(),
  items: z.int(),
  /** Warnings about items that are nevertheless taken. */
  warnings: z.array(warningSchema).optional(),
});

/** Stock and price changes with the same effect as the events, and the state of a listing. */
export function listingRoutes(ports: ListingRoutesPorts): Route[] {
  return [
    changeRoute(ports, 'POST /stores/{storeClientId}/stock', 'stock.changed'),
    changeRoute(ports, 'POST /stores/{storeClientId}/prices', 'price.changed'),

    route(
      'GET /stores/{storeClientId}/listings',
      {
        summary:
          'The values of the listings of a store: desired, sent, accepted, last read at the marketplace; with `target`, those of that one, which `refresh=true` reads now',
        path: storePath,
        query: listingQuery,
        answers: { 200: z.union([listingViewSchema, pageOf({ listings: z.array(listingViewSchema) })]) },
      },
      async ({ path: { storeClientId }, query: { target, refresh, ...page } }) => {
        await getStore(ports.stores, storeClientId);
        const pricesHeld = holdsPrices(await ports.guards.get(storeClientId));
        if (target === undefined) {
          const { listings, ...rest } = await ports.listings.list(storeClientId, page);
          return { listings: listings.map((listing) => viewOfListing(listing, { pricesHeld })), ...rest };
        }
        const listing = refresh
          ? await forStore(ports, storeClientId, (store, options) =>
              refreshListing(ports, store, target, options),
            )
          : await findListing(ports, storeClientId, target);
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
  // Strict like all bodies: otherwise a misspelled `occurredAt` would be ignored, and the items would get the time of the call.
  const body = incomingDetailSchemas[detailType].omit({ storeClientId: true }).strict();
  return route(
    key,
    { summary, path: storePath, body, answers: { 202: takenSchema } },
    async ({ path, body, requestId }) => {
      await getStore(stores, path.storeClientId);
      const event = { id: requestId, time: clock.now(), detailType, detail: { ...body, ...path } };
      await changesQueue.send([writeIncomingEvent(event)]);
      const warnings = new Warnings();
      for (const [index, item] of body.items.entries()) {
        for (const warning of isObject(item) ? unseenCharacters(item) : []) warnings.add(warning, index);
      }
      const { all } = warnings;
      return { eventId: requestId, items: body.items.length, ...(all.length > 0 && { warnings: all }) };
    },
  );
}

function isTarget(text: string): boolean {
  try {
    const name = nameOfTarget(text);
    // Checks the target in the form that it gets: in lower case it may take more bytes.
    return text.length > name.length + 1 && targetFault(targetOf(fieldsOfTarget(text))) === undefined;
  } catch {
    return false;
  }
}
