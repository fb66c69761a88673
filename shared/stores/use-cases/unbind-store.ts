import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Clock } from '../../time/clock.ts';
import type { Store } from '../model.ts';
import type { StoreEventPublisher, StoreTable } from '../ports.ts';
import { checkTransition } from '../rules/transitions.ts';
import { announceStore } from './announce-store.ts';

export interface UnbindStorePorts {
  readonly stores: Pick<StoreTable, 'unbind' | 'forgetEvent'>;
  readonly marketplace: Pick<MarketplaceClient, 'unbindStore'>;
  readonly events: StoreEventPublisher;
  readonly clock: Pick<Clock, 'now'>;
}

/** The marketplace has unbound the store already (§3). */
const ALREADY_UNBOUND = 'STORE_021';

/**
 * Unbinds a store (§4.2). Its waiting work is kept for a later onboarding. Asking again is safe: after a lost answer
 * the marketplace says that the store is unbound already, which is what was wanted; a store that is unbound here is
 * left alone.
 *
 * @throws MarketplaceError when the marketplace does not know the store (STORE_020) or can't be asked
 */
export async function unbindStore(
  ports: UnbindStorePorts,
  store: Store,
  options?: CallOptions,
): Promise<void> {
  if (store.state === 'unbound') return;
  checkTransition('unbind', store.state, 'operator');
  const { storeClientId } = store;
  try {
    await ports.marketplace.unbindStore({ storeClientId }, options);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== ALREADY_UNBOUND) throw error;
  }
  const event = { detailType: 'store.unbound', at: new Date(ports.clock.now()).toISOString() } as const;
  if (await ports.stores.unbind(store, event)) await announceStore(ports, storeClientId, event);
}
