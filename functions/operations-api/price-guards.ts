import * as z from 'zod';
import type { GuardTable } from '../../shared/guards/ports.ts';
import { guardLimitsSchema, holdSchema, type PriceGuard } from '../../shared/guards/rules/price-guard.ts';
import {
  discardEverything,
  discardPrices,
  discardReportSchema,
  type OperateGuardPorts,
  releasePrices,
  setPriceGuard,
} from '../../shared/guards/use-cases/operate-guard.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { getStore, storePath } from './for-store.ts';
import { type Route, route } from './route.ts';

export interface PriceGuardRoutesPorts extends OperateGuardPorts {
  readonly guards: GuardTable;
  readonly stores: Pick<StoreTable, 'get' | 'discardCommands'>;
}

const guardViewSchema = z.object({
  storeClientId: z.string(),
  /** `null` while the guard is off. */
  limits: guardLimitsSchema.nullable(),
  /** `null` while no prices are held. */
  hold: holdSchema.nullable(),
});
const guardAnswers = { 200: guardViewSchema };
/** `wasHeld`: whether there were held prices. */
const releasedSchema = z.object({
  storeClientId: z.string(),
  released: z.literal(true),
  wasHeld: z.boolean(),
});
const limitsBody = z.strictObject(guardLimitsSchema.shape);
const discardBody = z
  .strictObject({ what: z.enum(['prices', 'everything']).default('prices') })
  .default({ what: 'prices' });

/** Each store's guard against mass mistakes in prices; off until it is set. */
export function priceGuardRoutes(ports: PriceGuardRoutesPorts): Route[] {
  return [
    guardRoute('GET', { summary: "A store's price guard, and whether it holds prices" }, async (store) =>
      viewOf((await ports.guards.get(store)) ?? { storeClientId: store }),
    ),
    guardRoute('PUT', { summary: "Sets a store's price guard", body: limitsBody }, async (store, limits) =>
      viewOf(await setPriceGuard(ports, store, limits)),
    ),
    guardRoute(
      'DELETE',
      { summary: "Removes a store's price guard; held prices stay held until released or discarded" },
      async (store) => viewOf(await setPriceGuard(ports, store, undefined)),
    ),
    route(
      'POST /stores/{storeClientId}/release',
      {
        summary: 'Releases held prices',
        path: storePath,
        answers: { 202: releasedSchema },
      },
      async ({ path: { storeClientId } }) => {
        await getStore(ports.stores, storeClientId);
        const wasHeld = await releasePrices(ports, storeClientId);
        return { storeClientId, released: true, wasHeld };
      },
    ),
    route(
      'POST /stores/{storeClientId}/discard',
      {
        summary: 'Discards waiting prices, or everything that waits, commands included; lifts the hold',
        path: storePath,
        body: discardBody,
        answers: { 200: z.object({ storeClientId: z.string(), ...discardReportSchema.shape }) },
      },
      async ({ path: { storeClientId }, body: { what } }) => {
        await getStore(ports.stores, storeClientId);
        const discard = what === 'prices' ? discardPrices : discardEverything;
        const report = await discard(ports, storeClientId);
        return { storeClientId, ...report };
      },
    ),
  ];

  /** `{method} …/price-guard` of an existing store. */
  function guardRoute<Body = undefined>(
    method: string,
    { summary, body }: { readonly summary: string; readonly body?: z.ZodType<Body> },
    perform: (storeClientId: string, body: Body) => Promise<unknown>,
  ): Route {
    const schemas = { summary, path: storePath, answers: guardAnswers, ...(body && { body }) };
    return route(`${method} /stores/{storeClientId}/price-guard`, schemas, async (input) => {
      await getStore(ports.stores, input.path.storeClientId);
      return perform(input.path.storeClientId, input.body as Body);
    });
  }
}

function viewOf({ storeClientId, limits, hold }: PriceGuard) {
  return { storeClientId, limits: limits ?? null, hold: hold ?? null };
}
