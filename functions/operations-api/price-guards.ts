import { z } from 'zod';
import {
  dropReportSchema,
  guardLimitsSchema,
  holdSchema,
  type PriceGuard,
} from '../../shared/guards/model.ts';
import {
  discardEverything,
  discardPrices,
  type LiftHoldPorts,
  releasePrices,
} from '../../shared/guards/use-cases/lift-hold.ts';
import { removePriceGuard, setPriceGuard } from '../../shared/guards/use-cases/set-price-guard.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { type Route, route } from './route.ts';
import { getStore, storePath } from './stores.ts';

export interface PriceGuardRoutesPorts extends LiftHoldPorts {
  readonly stores: Pick<StoreTable, 'get' | 'discardCommands'>;
}

const guardBody = z.strictObject(guardLimitsSchema.shape);
const guardViewSchema = z.object({
  storeClientId: z.string(),
  /** `null` while the guard is off. */
  limits: guardLimitsSchema.nullable(),
  /** `null` while prices go. */
  hold: holdSchema.nullable(),
});
const guardAnswers = { 200: guardViewSchema };
const releasedSchema = z.object({ storeClientId: z.string(), released: z.literal(true) });
const discardBody = z
  .strictObject({ what: z.enum(['prices', 'everything']).default('prices') })
  .default({ what: 'prices' });
const discardedSchema = z.object({ storeClientId: z.string(), ...dropReportSchema.shape });

/** The guard against mass mistakes in prices, store by store; off until it is set. */
export function priceGuardRoutes(ports: PriceGuardRoutesPorts): Route[] {
  const { guards, stores } = ports;
  return [
    route(
      'GET /stores/{storeClientId}/price-guard',
      {
        summary: "A store's price guard, and whether it holds prices",
        path: storePath,
        answers: guardAnswers,
      },
      async ({ path: { storeClientId } }) => {
        await getStore(stores, storeClientId);
        return { status: 200, body: viewOf((await guards.get(storeClientId)) ?? { storeClientId }) };
      },
    ),
    route(
      'PUT /stores/{storeClientId}/price-guard',
      { summary: "Sets a store's price guard", path: storePath, body: guardBody, answers: guardAnswers },
      async ({ path: { storeClientId }, body: limits }) => {
        await getStore(stores, storeClientId);
        return { status: 200, body: viewOf(await setPriceGuard(ports, storeClientId, limits)) };
      },
    ),
    route(
      'DELETE /stores/{storeClientId}/price-guard',
      {
        summary: "Takes a store's price guard away; a hold stays until it is lifted",
        path: storePath,
        answers: guardAnswers,
      },
      async ({ path: { storeClientId } }) => {
        await getStore(stores, storeClientId);
        return { status: 200, body: viewOf(await removePriceGuard(ports, storeClientId)) };
      },
    ),
    route(
      'POST /stores/{storeClientId}/release',
      { summary: 'Lets held prices go', path: storePath, answers: { 202: releasedSchema } },
      async ({ path: { storeClientId } }) => {
        await getStore(stores, storeClientId);
        await releasePrices(ports, storeClientId);
        return { status: 202, body: { storeClientId, released: true } };
      },
    ),
    route(
      'POST /stores/{storeClientId}/discard',
      {
        summary: 'Drops the prices that wait, or everything, its commands included; lifts the hold',
        path: storePath,
        body: discardBody,
        answers: { 200: discardedSchema },
      },
      async ({ path: { storeClientId }, body: { what } }) => {
        await getStore(stores, storeClientId);
        const discard = what === 'prices' ? discardPrices : discardEverything;
        const report = await discard(ports, storeClientId);
        return { status: 200, body: { storeClientId, ...report } };
      },
    ),
  ];
}

function viewOf({ storeClientId, limits, hold }: PriceGuard) {
  return { storeClientId, limits: limits ?? null, hold: hold ?? null };
}
