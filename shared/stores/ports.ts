import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { StoreCredentials } from '../marketplace/request.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';
import type { Store, StoreEvent, StoreNames, StoreSuspended } from './model.ts';
import type { Notation } from './notation.ts';
import type { OnboardSession } from './onboarding.ts';

/**
 * The Stores table. A state changes only from the states in `STORE_TRANSITIONS`, and only if the store still has the given
 * token. The same write stores the event of the change, after earlier events. Each change returns whether it was made. It also returns
 * `true` if an earlier call, whose answer was lost, made the change.
 */
export interface StoreTable {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Store | undefined>;
  /**
   * Creates or replaces the record of a store. Keeps `unpublishedEvents`, `discardedAt`, `names`, `formerName`, `repair`, `numbers`,
   * `negativeStock` and `renamingUntil` of an existing record. Keeps its `sid` and `reference` if the new record has no such field.
   */
  put(store: Store, event?: StoreEvent): Promise<void>;
  suspend(store: StoreCredentials, event: StoreSuspended): Promise<boolean>;
  resume(store: StoreCredentials, event: StoreEvent): Promise<boolean>;
  unbind(store: StoreCredentials, event: StoreEvent): Promise<boolean>;
  /** Removes a published event, if it is the store's oldest. */
  forgetEvent(storeClientId: string, event: StoreEvent): Promise<void>;
  /**
   * Stores with unpublished events. `unreadable` has a ConnectorError `RECORD_UNREADABLE` for each record of the page that
   * breaks its schema.
   */
  listUnpublished(
    options?: PageRequest,
  ): Promise<{ stores: UnpublishedStoreEvents[]; unreadable: unknown[]; cursor?: string }>;
  /** Sets `renamingUntil` (epoch ms). Returns `false` if another renaming is not over, or if there is no such store. */
  beginRenaming(storeClientId: string, renaming: { now: EpochMs; until: EpochMs }): Promise<boolean>;
  /** Ends the renaming with this `until`, and sets the names if given. Returns `false` if that renaming was already over. */
  endRenaming(
    storeClientId: string,
    until: EpochMs,
    change?: Required<Pick<Store, 'names'>> & Pick<Store, 'formerName'>,
  ): Promise<boolean>;
  /** Sets the settings that are given; `null` removes one. Does nothing without a store. */
  setSettings(storeClientId: string, settings: StoreSettings): Promise<void>;
  /** Removes `formerName`: all listings with it were deleted. */
  forgetFormerName(storeClientId: string, formerName: StoreNames['products']): Promise<void>;
  /** Discards commands given until `at` (ISO 8601). Does nothing without a store. */
  discardCommands(storeClientId: string, at: IsoTime): Promise<void>;
  list(options?: PageRequest): Promise<{ stores: Store[]; cursor?: string }>;
}

/** The settings of a store that a partner can change. */
export interface StoreSettings {
  readonly repair?: boolean | undefined;
  readonly negativeStock?: Store['negativeStock'];
  readonly numbers?: Notation | null | undefined;
}

export interface UnpublishedStoreEvents {
  readonly storeClientId: string;
  readonly unpublishedEvents: readonly StoreEvent[];
}

/** The Sessions table. */
export type OnboardSessionTable = VersionedTable<OnboardSession, [nonce: string]>;
