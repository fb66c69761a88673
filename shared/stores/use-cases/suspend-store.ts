import type { EventPublisher } from '../../events/ports.ts';
import type { MarketplaceError } from '../../marketplace/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { StoreCredentials } from '../model.ts';
import type { StoreTable } from '../ports.ts';

export interface SuspendStorePorts {
  readonly stores: Pick<StoreTable, 'suspend'>;
  readonly events: EventPublisher;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Suspends a store that the marketplace refuses (AUTH_014, design P8): its work waits. Says so once on the bus; a store
 * whose token was rotated meanwhile stays connected.
 *
 * @returns whether the store was suspended; if not, the refused work may be tried with the token that it has now
 */
export async function suspendStore(
  ports: SuspendStorePorts,
  store: StoreCredentials,
  refusal: Pick<MarketplaceError, 'code' | 'message' | 'requestId'>,
): Promise<boolean> {
  const reason = `${refusal.code}: ${refusal.message}`;
  const suspended = await ports.stores.suspend(store, reason, new Date(ports.clock.now()).toISOString());
  if (!suspended) return false;
  const { storeClientId } = store;
  const requestId = refusal.requestId === undefined ? {} : { requestId: refusal.requestId };
  await ports.events.publish([
    { detailType: 'store.suspended', detail: { storeClientId, reason, ...requestId } },
  ]);
  return true;
}
