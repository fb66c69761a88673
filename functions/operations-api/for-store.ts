import type { Store } from '../../shared/stores/model.ts';
import {
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../shared/stores/use-cases/for-connected-store.ts';
import { storeUnknown } from './store-unknown.ts';

/**
 * Does a route's work with the credentials of a connected store.
 *
 * @throws HttpError 404 `STORE_UNKNOWN`
 * @throws ConnectorError `STORE_NOT_CONNECTED` of a store that is suspended or unbound, or just was refused
 */
export async function forStore<Result>(
  ports: ForConnectedStorePorts,
  storeClientId: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const done = await forConnectedStore(ports, storeClientId, async (store) => ({
    result: await work(store),
  }));
  if (done !== undefined) return done.result;
  throw storeUnknown(storeClientId);
}
