import { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { Store } from '../model.ts';
import type { StoreTable } from '../ports.ts';
import { type SuspendStorePorts, suspendStore } from './operate-store.ts';

export interface ForConnectedStorePorts extends SuspendStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'suspend' | 'forgetEvent'>;
}

/**
 * Runs `work` with a store's credentials. If the marketplace refuses the credentials, and they were rotated meanwhile, `work` runs once
 * more with the new ones. If they were not rotated, the store is suspended.
 *
 * @returns the result of `work`; `undefined` for a store that was never connected: `work` is then not run.
 * @throws {ConnectorError} STORE_NOT_CONNECTED, retryable.
 */
export async function forConnectedStore<Result>(
  ports: ForConnectedStorePorts,
  storeClientId: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result | undefined> {
  const store = await ports.stores.get(storeClientId);
  if (store === undefined) return undefined;
  if (store.state !== 'connected') throw storeNotConnected(store);
  try {
    return await work(store);
  } catch (error) {
    const refusal = storeRefusalOrThrow(error);
    const current = await newCredentialsOrSuspend(ports, store, refusal);
    return await work(current).catch((again) => suspend(ports, current, storeRefusalOrThrow(again)));
  }
}

/**
 * The store with new credentials, after the marketplace refused the given ones. Suspends the store if it got no new ones meanwhile.
 *
 * @throws {ConnectorError} STORE_NOT_CONNECTED, retryable, if the store got no new credentials, or is no longer connected.
 */
export async function newCredentialsOrSuspend(
  ports: ForConnectedStorePorts,
  store: Store,
  refusal: MarketplaceError,
): Promise<Store> {
  const current = await ports.stores.get(store.storeClientId);
  const isRotated = current?.state === 'connected' && current.storeToken !== store.storeToken;
  return isRotated ? current : suspend(ports, store, refusal);
}

/** The error, if it is a refusal of the store's credentials; throws any other error. */
function storeRefusalOrThrow(error: unknown): MarketplaceError {
  if (error instanceof MarketplaceError && error.code === 'AUTH_014') return error;
  throw error;
}

async function suspend(
  ports: ForConnectedStorePorts,
  store: Store,
  refusal: MarketplaceError,
): Promise<never> {
  await suspendStore(ports, store, refusal);
  throw storeNotConnected({ ...store, state: 'suspended' }, refusal);
}

/** STORE_NOT_CONNECTED, retryable: work waits until its store is connected. */
export function storeNotConnected({ storeClientId, state }: Store, cause?: unknown): ConnectorError {
  return new ConnectorError(`store ${storeClientId} is ${state}`, {
    code: 'STORE_NOT_CONNECTED',
    retryable: true,
    cause,
  });
}
