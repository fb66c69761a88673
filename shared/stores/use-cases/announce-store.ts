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

/** A function that changes a store's state publishes that at once: after so long it was killed before. Milliseconds. */
const LEFT_AFTER_MS = 30_000;

/**
 * Publishes a change of a store's state. The event was kept with the store in the same write as its new state, and is
 * forgotten only now: a crash on the way says it twice, and never not at all.
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
 * Publishes the changes whose function was killed before it could, in the order in which they happened.
 *
 * @param onFailure gets the error of each store whose changes could not be read, or published; those of the others are all the
 * same.
 * @returns how many were announced
 */
export async function announcePendingStores(
  ports: AnnouncePendingStoresPorts,
  { onFailure }: { readonly onFailure: OnFailure },
): Promise<number> {
  const leftBefore = new Date(ports.clock.now() - LEFT_AFTER_MS).toISOString();
  let announced = 0;
  let cursor: string | undefined;
  do {
    const page = await ports.stores.listUnpublished(cursor === undefined ? {} : { cursor });
    for (const error of page.unreadable) onFailure(error);
    for (const store of page.stores) {
      announced += (await isolateFailure(onFailure, () => announceOld(ports, store, leftBefore))) ?? 0;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return announced;
}

async function announceOld(
  ports: AnnounceStorePorts,
  { storeClientId, unpublishedEvents }: UnpublishedStoreEvents,
  leftBefore: string,
): Promise<number> {
  const young = unpublishedEvents.findIndex(({ at }) => at > leftBefore);
  // None is published before those that are kept before it.
  const left = young < 0 ? unpublishedEvents : unpublishedEvents.slice(0, young);
  for (const event of left) await announceStore(ports, storeClientId, event);
  return left.length;
}

function outgoingOf(storeClientId: string, { detailType, at: _, ...facts }: StoreEvent) {
  return { detailType, detail: { storeClientId, ...facts } } as OutgoingEvent;
}
