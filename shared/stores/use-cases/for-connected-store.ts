import { ConnectorError } from '../../errors/connector-error.ts';
import type { EventPublisher } from '../../events/ports.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Store } from '../model.ts';
import type { StoreTable } from '../ports.ts';
import { type SuspendStorePorts, suspendStore } from './suspend-store.ts';

export interface ForConnectedStorePorts extends SuspendStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'suspend' | 'forgetEvent'>;
  readonly events: EventPublisher;
}

/**
 * Does work with a store's credentials. Work that they are refused for is tried once with the new ones
 * if they were rotated meanwhile; otherwise the store is suspended (design P8).
 *
 * @returns what `work` returns; `undefined`, without working, for a store that was never connected here.
 * @throws {ConnectorError} STORE_NOT_CONNECTED, retryable.
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
    const refusal = storeRefusal(error);
    const current = await ports.stores.get(storeClientId);
    const rotated = current?.state === 'connected' && current.storeToken !== store.storeToken;
    if (!rotated) return suspend(ports, store, refusal);
    return await work(current).catch((again) => suspend(ports, current, storeRefusal(again)));
  }
}

/** The error as the refusal of the store's credentials; throws any other one. */
function storeRefusal(error: unknown): MarketplaceError {
  if (error instanceof MarketplaceError && error.code === 'AUTH_014') return error;
  throw error;
}

async function suspend(ports: SuspendStorePorts, store: Store, refusal: MarketplaceError): Promise<never> {
  await suspendStore(ports, store, refusal);
  throw notConnected({ ...store, state: 'suspended' }, refusal);
}

function notConnected({ storeClientId, state }: Store, cause?: unknown): ConnectorError {
  return new ConnectorError(`store ${storeClientId} is ${state}: its commands wait`, {
    code: 'STORE_NOT_CONNECTED',
    retryable: true,
    cause,
  });
}
