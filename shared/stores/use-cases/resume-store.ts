import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store } from '../model.ts';
import type { StoreEventPublisher, StoreTable } from '../ports.ts';
import { checkTransition } from '../rules/transitions.ts';
import { announceStore } from './announce-store.ts';

export interface ResumeStorePorts {
  readonly stores: Pick<StoreTable, 'resume' | 'forgetEvent'>;
  readonly marketplace: Pick<MarketplaceClient, 'listWarehouses'>;
  readonly events: StoreEventPublisher;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Lifts a suspension when a signed call shows that the store's credentials are good again; what waits then drains. A
 * store that was given other credentials meanwhile is left as it is.
 *
 * @throws ConnectorError `STORE_TRANSITION` for a store that is not suspended
 * @throws MarketplaceError when the marketplace still refuses the credentials (AUTH_014) or can't be asked
 */
export async function resumeStore(
  ports: ResumeStorePorts,
  store: Store,
  options?: CallOptions,
): Promise<void> {
  checkTransition('resume', store.state, 'operator');
  await ports.marketplace.listWarehouses(store, options);
  const event = { detailType: 'store.connected', at: new Date(ports.clock.now()).toISOString() } as const;
  if (await ports.stores.resume(store, event)) await announceStore(ports, store.storeClientId, event);
}
