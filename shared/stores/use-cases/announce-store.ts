import { eachPage } from '../../collections/page-request.ts';
import { isolateFailure, type OnFailure } from '../../errors/isolate-failure.ts';
import type { EventPublisher, OutgoingEvent } from '../../events/outgoing.ts';
import type { Clock } from '../../time/clock.ts';
import type { StoreEvent } from '../model.ts';
import type { StoreTable, UnpublishedStoreEvents } from '../ports.ts';

export interface AnnounceStorePorts {
  readonly stores: Pick<StoreTable, 'forgetEvent'>;
  readonly events: EventPublisher;
}

export interface AnnouncePendingStoresPorts extends AnnounceStorePorts {
  readonly stores: Pick<StoreTable, 'forgetEvent' | 'listUnpublished'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A function publishes a change of a store's state within this time, unless it was stopped. */
const PUBLISHED_WITHIN_MS = 30_000;

/**
 * Publishes a change of a store's state, then removes its event from the store's record. After a crash in between, the change is
 * published twice.
 */
export async function announceStore(
  { stores, events }: AnnounceStorePorts,
  storeClientId: string,
  event: StoreEvent,
): Promise<void> {
  await events.publish([outgoingOf(storeClientId, event)]);
  await stores.forgetEvent(storeClientId, event);
}

/**
 * Publishes the changes whose function was stopped before it published them, in order.
 *
 * @param onFailure gets the error of each store that failed. Other stores are still processed.
 * @returns how many changes were published
 */
export async function announcePendingStores(
  ports: AnnouncePendingStoresPorts,
  { onFailure }: { readonly onFailure: OnFailure },
): Promise<number> {
  const changedBefore = new Date(ports.clock.now() - PUBLISHED_WITHIN_MS).toISOString();
  let announced = 0;
  for await (const { stores, unreadable } of eachPage(ports.stores.listUnpublished)) {
    for (const error of unreadable) onFailure(error);
    for (const store of stores)
      announced += (await isolateFailure(onFailure, () => announceOld(ports, store, changedBefore))) ?? 0;
  }
  return announced;
}

async function announceOld(
  ports: AnnounceStorePorts,
  { storeClientId, unpublishedEvents }: UnpublishedStoreEvents,
  changedBefore: string,
): Promise<number> {
  const firstRecent = unpublishedEvents.findIndex(({ at }) => at > changedBefore);
  // Keep the order: an old event behind a recent one must wait.
  const old = firstRecent < 0 ? unpublishedEvents : unpublishedEvents.slice(0, firstRecent);
  for (const event of old) await announceStore(ports, storeClientId, event);
  return old.length;
}

function outgoingOf(storeClientId: string, { detailType, at: _, ...facts }: StoreEvent) {
  return { detailType, detail: { storeClientId, ...facts } } as OutgoingEvent;
}
