import type { EventPublisher } from '../../events/ports.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store, StoreCredentials } from '../model.ts';
import type { StoreTable } from '../ports.ts';

export interface ConnectStorePorts {
  readonly stores: Pick<StoreTable, 'get' | 'put'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses'>;
  readonly events: EventPublisher;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Connects a store, or gives a connected or suspended one a new token. The credentials are tried with a signed call
 * (§4.15) first; what waits for the store then drains.
 *
 * @throws MarketplaceError when the marketplace refuses the credentials (AUTH_014) or can't be asked; nothing changes then
 */
export async function connectStore(ports: ConnectStorePorts, credentials: StoreCredentials): Promise<Store> {
  await ports.marketplace.listWarehouses(credentials);
  const at = new Date(ports.clock.now()).toISOString();
  const known = await ports.stores.get(credentials.storeClientId);
  const store: Store = {
    ...credentials,
    state: 'connected',
    connectedAt: known?.connectedAt ?? at,
    updatedAt: at,
  };
  await ports.stores.put(store);
  await ports.events.publish([
    { detailType: 'store.connected', detail: { storeClientId: credentials.storeClientId } },
  ]);
  return store;
}
