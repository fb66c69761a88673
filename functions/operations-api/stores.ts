import { z } from 'zod';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { MarketplaceError } from '../../shared/marketplace/errors.ts';
import type { RejectionTable } from '../../shared/rejections/ports.ts';
import { viewOfStore } from '../../shared/stores/model.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import { type ConnectStorePorts, connectStore } from '../../shared/stores/use-cases/connect-store.ts';
import { pageQuery } from './page-query.ts';
import { type Route, route } from './route.ts';

/** Path of everything below a store. */
export const storePath = z.object({ storeClientId: z.string().min(1).max(200) });

export interface StoreRoutesPorts extends ConnectStorePorts {
  readonly stores: StoreTable;
  readonly rejections: Pick<RejectionTable, 'list'>;
}

/** Stores and their state, never their tokens. */
export function storeRoutes(ports: StoreRoutesPorts): Route[] {
  return [
    route('GET /stores', { query: z.object(pageQuery) }, async ({ query }) => {
      const { stores, ...page } = await ports.stores.list(query);
      return { status: 200, body: { stores: stores.map(viewOfStore), ...page } };
    }),

    route('GET /stores/{storeClientId}', { path: storePath }, async ({ path }) => {
      const store = await getStore(ports.stores, path.storeClientId);
      return { status: 200, body: viewOfStore(store) };
    }),

    route(
      'PUT /stores/{storeClientId}',
      { path: storePath, body: z.strictObject({ storeToken: z.string().min(1).max(4096) }) },
      async ({ path, body }) => {
        const store = await connect(ports, { ...path, ...body });
        return { status: 200, body: viewOfStore(store) };
      },
    ),

    route('POST /stores/{storeClientId}/resume', { path: storePath }, async ({ path }) => {
      const { storeClientId, storeToken, state } = await getStore(ports.stores, path.storeClientId);
      if (state !== 'suspended') {
        throw new HttpError(409, 'STORE_NOT_SUSPENDED', `store ${storeClientId} is ${state}`);
      }
      return { status: 200, body: viewOfStore(await connect(ports, { storeClientId, storeToken })) };
    }),

    route(
      'GET /stores/{storeClientId}/rejections',
      { path: storePath, query: z.object(pageQuery) },
      async ({ path, query }) => ({
        status: 200,
        body: await ports.rejections.list(path.storeClientId, query),
      }),
    ),
  ];
}

/** @throws HttpError 404 `STORE_UNKNOWN` */
export async function getStore(stores: Pick<StoreTable, 'get'>, storeClientId: string) {
  const store = await stores.get(storeClientId);
  if (store === undefined) {
    throw new HttpError(404, 'STORE_UNKNOWN', `store ${storeClientId} is not connected to this stack`);
  }
  return store;
}

async function connect(ports: ConnectStorePorts, credentials: Parameters<typeof connectStore>[1]) {
  try {
    return await connectStore(ports, credentials);
  } catch (error) {
    if (!(error instanceof MarketplaceError)) throw error;
    const { code, message, requestId } = error;
    const details = { marketplace: { code, ...(requestId === undefined ? {} : { requestId }) } };
    if (code === 'AUTH_014') throw new HttpError(422, 'STORE_REFUSED', message, { details, cause: error });
    throw new HttpError(502, 'MARKETPLACE_FAILED', message, { details, cause: error });
  }
}
