import * as z from 'zod';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import type { CallOptions } from '../../shared/marketplace/options.ts';
import { type Store, unknownStore } from '../../shared/stores/model.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../shared/stores/use-cases/for-connected-store.ts';
import { idSchema } from './route.ts';

/** Path parameters of all routes below a store. */
export const storePath = z.object({ storeClientId: idSchema });

/** Calls are aborted before the 30 s limit of an HTTP API, so that the caller gets their error. */
const ANSWER_WITHIN_MS = 25_000;

/** Options of a call of the marketplace within a route. */
export function routeDeadline(): CallOptions & { readonly signal: AbortSignal } {
  return { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) };
}

/** @throws HttpError 404 `STORE_UNKNOWN` */
export async function getStore(stores: Pick<StoreTable, 'get'>, storeClientId: string): Promise<Store> {
  const store = await stores.get(storeClientId);
  if (store === undefined) throw storeUnknown(storeClientId);
  return store;
}

/**
 * Does a route's work with the credentials of a connected store.
 *
 * @throws HttpError 404 `STORE_UNKNOWN`
 * @throws ConnectorError `STORE_NOT_CONNECTED` if the store is suspended or unbound, or the marketplace refuses it now
 */
export async function forStore<Result>(
  ports: ForConnectedStorePorts,
  storeClientId: string,
  work: (store: Store, options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const done = await forConnectedStore(ports, storeClientId, async (store) => ({
    result: await work(store, routeDeadline()),
  }));
  if (done === undefined) throw storeUnknown(storeClientId);
  return done.result;
}

function storeUnknown(storeClientId: string): HttpError {
  const { code, message } = unknownStore(storeClientId);
  return new HttpError(404, code, message);
}
