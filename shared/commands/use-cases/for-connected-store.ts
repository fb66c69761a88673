import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Store } from '../../stores/model.ts';
import type { StoreTable } from '../../stores/ports.ts';
import { type SuspendStorePorts, suspendStore } from '../../stores/use-cases/suspend-store.ts';

export interface ForConnectedStorePorts extends SuspendStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'suspend'>;
}

/**
 * Does a command's work with its store's credentials. A store whose credentials the marketplace refuses is suspended
 * (design P8).
 *
 * @returns what `work` returns; `undefined`, without working, for a store that was never connected here.
 * @throws {ConnectorError} STORE_NOT_CONNECTED, retryable: the command waits until the store is connected again.
 */
export async function forConnectedStore<Result>(
  ports: ForConnectedStorePorts,
  storeClientId: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result | undefined> {
  const store = await ports.stores.get(storeClientId);
  if (store === undefined) return undefined;
  if (store.state !== 'connected') throw notConnected(store);
  try {
    return await work(store);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== 'AUTH_014') throw error;
    await suspendStore(ports, store, error);
    throw notConnected({ ...store, state: 'suspended' }, error);
  }
}

function notConnected({ storeClientId, state }: Store, cause?: unknown): ConnectorError {
  return new ConnectorError(`store ${storeClientId} is ${state}: its commands wait`, {
    code: 'STORE_NOT_CONNECTED',
    retryable: true,
    cause,
  });
}
