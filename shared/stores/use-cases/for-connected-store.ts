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
 * Does a command's work with its store's credentials. Work that they are refused for is tried once with the new ones
 * if they were rotated meanwhile; otherwise the store is suspended (design P8).
 *
 * @param givenAt when the command was given, in epoch ms; default: just now.
 * @returns what `work` returns; `undefined`, without working, for a store that was never connected here.
 * @throws {ConnectorError} STORE_NOT_CONNECTED, retryable: the command waits until the store is connected again;
 * COMMAND_DISCARDED: it was dropped with all that waited.
 */
export async function forConnectedStore<Result>(
  ports: ForConnectedStorePorts,
  storeClientId: string,
  work: (store: Store) => Promise<Result>,
  givenAt = Number.POSITIVE_INFINITY,
): Promise<Result | undefined> {
  const store = await ports.stores.get(storeClientId);
  if (store === undefined) return undefined;
  if (isDiscarded(store, givenAt)) throw discarded(store);
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

/** Whether a command that was given at `givenAt`, epoch ms, was dropped with all that waited for its store. */
export function isDiscarded({ discardedAt }: Pick<Store, 'discardedAt'>, givenAt: number): boolean {
  return discardedAt !== undefined && givenAt <= Date.parse(discardedAt);
}

/** What is said of a command that was dropped with all that waited for its store. */
export function discarded({
  storeClientId,
  discardedAt,
}: Pick<Store, 'storeClientId' | 'discardedAt'>): ConnectorError {
  return new ConnectorError(`what waited for store ${storeClientId} was discarded at ${discardedAt}`, {
    code: COMMAND_DISCARDED,
  });
}

const COMMAND_DISCARDED = 'COMMAND_DISCARDED';

/** What to reject a command for that `forConnectedStore` did not do; throws any other error. */
export function discardedFault(error: unknown): { code: string; message: string } {
  if (error instanceof ConnectorError && error.code === COMMAND_DISCARDED) {
    return { code: error.code, message: error.message };
  }
  throw error;
}

function notConnected({ storeClientId, state }: Store, cause?: unknown): ConnectorError {
  return new ConnectorError(`store ${storeClientId} is ${state}: its commands wait`, {
    code: 'STORE_NOT_CONNECTED',
    retryable: true,
    cause,
  });
}
