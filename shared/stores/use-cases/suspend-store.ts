import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { Clock } from '../../time/clock.ts';
import type { StoreEventPublisher, StoreTable } from '../ports.ts';
import { announceStore } from './announce-store.ts';

export interface SuspendStorePorts {
  readonly stores: Pick<StoreTable, 'suspend' | 'forgetEvent'>;
  readonly events: StoreEventPublisher;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Suspends a store that the marketplace refuses (AUTH_014, design P8): its work waits. Says so on the bus; a store
 * whose token was rotated meanwhile stays connected.
 *
 * @returns whether the store was suspended; if not, the refused work may be tried with the token that it has now
 */
export async function suspendStore(
  ports: SuspendStorePorts,
  store: StoreCredentials,
  refusal: Pick<MarketplaceError, 'code' | 'message' | 'requestId'>,
): Promise<boolean> {
  const event = {
    detailType: 'store.suspended',
    at: new Date(ports.clock.now()).toISOString(),
    reason: `${refusal.code}: ${refusal.message}`,
    ...(refusal.requestId === undefined ? {} : { requestId: refusal.requestId }),
  } as const;
  if (!(await ports.stores.suspend(store, event))) return false;
  await announceStore(ports, store.storeClientId, event);
  return true;
}
