import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { StoreCredentials } from '../marketplace/request.ts';
import type { Store, StoreEvent, StoreNames, StoreSuspended } from './model.ts';
import type { OnboardSession } from './onboarding.ts';

/**
 * The Stores table. Changes of state happen only from the states that `STORE_TRANSITIONS` name, and only while the
 * token is still the given one: a store whose token was rotated meanwhile does not change. The event that reports the
 * change is kept with the store, after its earlier events. Each change returns whether it was made, now or by an earlier
 * call whose answer was lost: in that case the store keeps its event already.
 */
export interface StoreTable {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Store | undefined>;
  /**
   * Creates the store or replaces its record. Of an existing record it keeps `unpublishedEvents`, `discardedAt`, the names, and the
   * mark that the names may change.
   */
  put(store: Store, event?: StoreEvent): Promise<void>;
  suspend(store: StoreCredentials, event: StoreSuspended): Promise<boolean>;
  resume(store: StoreCredentials, event: StoreEvent): Promise<boolean>;
  unbind(store: StoreCredentials, event: StoreEvent): Promise<boolean>;
  /** Forgets an event that is on the bus, if it is the oldest that the store keeps. */
  forgetEvent(storeClientId: string, event: StoreEvent): Promise<void>;
  /**
   * The stores that keep events; without their tokens. `unreadable`: a ConnectorError `RECORD_UNREADABLE` for each record
   * of the page that is not among `stores`.
   */
  listUnpublished(
    options?: PageRequest,
  ): Promise<{ stores: UnpublishedStoreEvents[]; unreadable: unknown[]; cursor?: string }>;
  /** Says until when (epoch ms) the store's names may change; `false` where they may already, or there is no store. */
  beginRenaming(storeClientId: string, renaming: { now: number; until: number }): Promise<boolean>;
  /**
   * Ends what `beginRenaming` began with the same `until`, with other names if they are given; `false` where that is over.
   */
  endRenaming(
    storeClientId: string,
    until: number,
    change?: Required<Pick<Store, 'names'>> & Pick<Store, 'formerName'>,
  ): Promise<boolean>;
  /** No listings are left under the name by which the store's products went before. */
  forgetFormerName(storeClientId: string, formerName: StoreNames['products']): Promise<void>;
  /** Has the commands dropped that were given until `at` (ISO 8601); nothing happens for a store that is not there. */
  discardCommands(storeClientId: string, at: string): Promise<void>;
  list(options?: PageRequest): Promise<{ stores: Store[]; cursor?: string }>;
}

/** A store with what is not known to be on the bus yet. */
export interface UnpublishedStoreEvents {
  readonly storeClientId: string;
  readonly unpublishedEvents: readonly StoreEvent[];
}

/** The Sessions table: onboardings that were begun. */
export interface OnboardSessionTable extends VersionedTable<OnboardSession, [nonce: string]> {
  put(session: OnboardSession): Promise<void>;
}
