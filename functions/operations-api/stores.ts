import * as z from 'zod';
import { eachPage } from '../../shared/collections/page-request.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { MarketplaceError } from '../../shared/marketplace/errors.ts';
import type { OrderTable } from '../../shared/orders/ports.ts';
import type { RequestTable } from '../../shared/requests/ports.ts';
import { type ChangeNamesPorts, changeNames } from '../../shared/store-names/change-names.ts';
import { type Store, storeNamesSchema, storeSchema, storeViewSchema } from '../../shared/stores/model.ts';
import { notationSchema } from '../../shared/stores/notation.ts';
import { begunOnboardingSchema, onboardReferenceSchema } from '../../shared/stores/onboarding.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { namesWith } from '../../shared/stores/rules/names.ts';
import { type BeginOnboardingPorts, beginOnboarding } from '../../shared/stores/use-cases/onboard-store.ts';
import {
  type ConnectStorePorts,
  connectStore,
  type OperateStorePorts,
  resumeStore,
  unbindStore,
} from '../../shared/stores/use-cases/operate-store.ts';
import { getStore, routeDeadline, storePath } from './for-store.ts';
import { pageOf, pageQuery, type Route, route } from './route.ts';

export type StoreRoutesPorts = ConnectStorePorts &
  OperateStorePorts &
  BeginOnboardingPorts &
  Omit<ChangeNamesPorts, 'hasCommands'> & {
    readonly stores: StoreTable;
    readonly requests: Pick<RequestTable, 'listOpen'>;
    readonly orders: Pick<OrderTable, 'listUnknown'>;
  };

const storeBody = z
  .strictObject({
    storeToken: z.string().min(1).max(4096).optional(),
    names: z.strictObject(storeNamesSchema.partial().shape).optional(),
    ...storeSchema.pick({ repair: true, negativeStock: true }).shape,
    numbers: notationSchema.nullable().optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'must have at least one of storeToken, names, repair, negativeStock, numbers',
  });
const onboardingBody = z
  .strictObject({
    redirectUri: z.url({ protocol: /^https?$/ }).optional(),
    /** The partner's own name for the onboarding. It is in the answer, in `store.connected` and in the store's view. */
    reference: onboardReferenceSchema.optional(),
  })
  .default({});

/** Stores and their state, never their tokens. */
export function storeRoutes(ports: StoreRoutesPorts): Route[] {
  return [
    ...storeReads(ports),

    route(
      'POST /stores/onboarding',
      {
        summary: 'Begins the onboarding of a store (§4.1) and answers with the URL for its seller',
        body: onboardingBody,
        answers: { 201: begunOnboardingSchema },
      },
      async ({ body }) => beginOnboarding(ports, body, routeDeadline()),
    ),

    route(
      'PUT /stores/{storeClientId}',
      {
        summary:
          "Registers or replaces a store's credentials, which are tried first; sets how it names its products and orders, whether drift of its listings is repaired (`repair`, default true), what becomes of negative stock (`negativeStock`, default zero, and reject in files), and how its files write numbers (`numbers`; `null` for none)",
        path: storePath,
        body: storeBody,
        answers: { 200: storeViewSchema },
      },
      async ({ path: { storeClientId }, body: { storeToken, names, ...settings } }) => {
        if (storeToken !== undefined) {
          const defaultNames = namesWith(ports.defaultNames, names);
          const credentials = { storeClientId, storeToken };
          await checked(connectStore({ ...ports, defaultNames }, credentials, routeDeadline()));
        }
        const store = await getStore(ports.stores, storeClientId);
        if (names !== undefined)
          await changeNames({ ...ports, hasCommands: (id) => hasCommands(ports, id) }, store, names);
        if (Object.keys(settings).length > 0) await ports.stores.setSettings(storeClientId, settings);
        return show(ports, storeClientId);
      },
    ),

    changeRoute(ports, 'resume', 'Lifts a suspension', (store) =>
      checked(resumeStore(ports, store, routeDeadline())),
    ),
    changeRoute(ports, 'unbind', 'Unbinds a store (§4.2)', (store) =>
      unbindStore(ports, store, routeDeadline()),
    ),
  ];
}

/** Whether a request of the store is open, or what happened to an order is unknown. */
async function hasCommands(ports: StoreRoutesPorts, storeClientId: string): Promise<boolean> {
  return (await hasOpenRequests(ports, storeClientId)) || hasUnknownOrder(ports, storeClientId);
}

/** If all stores together have this many open requests, every store counts as having one. */
const MOST_OPEN = 1000;
/** Later than any time in ISO 8601. */
const ANY_TIME = '9999';

/** Whether a request of the store is open: it may still land, or its answer is not applied. */
async function hasOpenRequests({ requests }: StoreRoutesPorts, storeClientId: string): Promise<boolean> {
  const query = { touchedBefore: ANY_TIME, limit: MOST_OPEN };
  let seen = 0;
  for await (const page of eachPage((from) => requests.listOpen({ ...query, ...from }))) {
    seen += page.requests.length + page.unreadable.length;
    if (seen >= MOST_OPEN || page.requests.some((one) => one.storeClientId === storeClientId)) return true;
  }
  return false;
}

/** Whether an order of the store has an unknown outcome. Under another name such an order could be decided differently. */
async function hasUnknownOrder({ orders, clock }: StoreRoutesPorts, storeClientId: string): Promise<boolean> {
  const unknown = await orders.listUnknown(storeClientId, { limit: 1, now: clock.now() });
  return unknown.orders.length > 0;
}

function storeReads(ports: StoreRoutesPorts): Route[] {
  const { stores } = ports;
  return [
    route(
      'GET /stores',
      {
        summary: 'The stores and their states',
        query: z.strictObject(pageQuery),
        answers: { 200: pageOf({ stores: z.array(storeViewSchema) }) },
      },
      async ({ query }) => {
        const { stores: some, ...page } = await stores.list(query);
        return { stores: some.map((store) => storeViewSchema.parse(store)), ...page };
      },
    ),

    route(
      'GET /stores/{storeClientId}',
      { summary: 'A store and its state', path: storePath, answers: { 200: storeViewSchema } },
      async ({ path }) => show(ports, path.storeClientId),
    ),
  ];
}

/** `POST /stores/{storeClientId}/{change}`, which answers with the changed store. */
function changeRoute(
  ports: StoreRoutesPorts,
  change: 'resume' | 'unbind',
  summary: string,
  perform: (store: Store) => Promise<void>,
): Route {
  return route(
    `POST /stores/{storeClientId}/${change}`,
    { summary, path: storePath, answers: { 200: storeViewSchema } },
    async ({ path: { storeClientId } }) => {
      await perform(await getStore(ports.stores, storeClientId));
      return show(ports, storeClientId);
    },
  );
}

async function show({ stores }: Pick<StoreRoutesPorts, 'stores'>, storeClientId: string) {
  return storeViewSchema.parse(await getStore(stores, storeClientId));
}

/** Maps AUTH_014 to 422, as the caller gave the refused credentials. */
async function checked(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== 'AUTH_014') throw error;
    const { code, message, requestId } = error;
    const details = { marketplace: { code, ...(requestId !== undefined && { requestId }) } };
    throw new HttpError(422, 'STORE_REFUSED', message, { details, cause: error });
  }
}
