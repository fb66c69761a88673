import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store, StoreNames } from '../model.ts';
import type { StoreEventPublisher, StoreTable } from '../ports.ts';
import { checkTransition, type StoreActor } from '../rules/transitions.ts';
import { announceStore } from './announce-store.ts';

export interface ConnectStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'put' | 'forgetEvent'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses'>;
  readonly events: StoreEventPublisher;
  readonly clock: Pick<Clock, 'now'>;
  /** Of a store that is connected for the first time. */
  readonly defaultNames: StoreNames;
}

/**
 * Connects a store, or gives it a new token in whatever state it is. The credentials are tried with a signed call
 * (§4.15) first; what waits for the store then drains.
 *
 * @param signal ends the call
 * @throws MarketplaceError when the marketplace refuses the credentials (AUTH_014) or can't be asked; nothing changes then
 */
export async function connectStore(
  ports: ConnectStorePorts,
  credentials: StoreCredentials,
  { actor, signal }: { readonly actor: StoreActor; readonly signal?: AbortSignal | undefined },
): Promise<Store> {
  await ports.marketplace.listWarehouses(credentials, signal && { signal });
  const at = new Date(ports.clock.now()).toISOString();
  const known = await ports.stores.get(credentials.storeClientId);
  checkTransition('connect', known?.state, actor);
  const store: Store = {
    ...credentials,
    state: 'connected',
    names: known?.names ?? ports.defaultNames,
    connectedAt: known?.connectedAt ?? at,
    updatedAt: at,
    ...(known?.discardedAt !== undefined && { discardedAt: known.discardedAt }),
  };
  const event = { detailType: 'store.connected', at } as const;
  await ports.stores.put(store, event);
  await announceStore(ports, credentials.storeClientId, event);
  return store;
}
