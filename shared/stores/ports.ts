import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { StoreCredentials } from '../marketplace/request.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';
import type { Store, StoreEvent, StoreNames, StoreSuspended } from './model.ts';
import type { Notation } from './notation.ts';
import type { OnboardSession } from './onboarding.ts';

/**
 * The Stores table. A state changes only from the states in `STORE_TRANSITIONS`, and only if the store still has the given
 * token. The same write stores the event of the change, after earlier events. Each change returns whether it was made; `true`
 * too if an earlier call made it and its answer was lost.
 */
export interface StoreTable {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Store | undefined>;
  /**
   * Creates or replaces the record of a store. Keeps `unpublishedEvents`, `discardedAt`, `names`, `formerName`, `repair`, `numbers`,
   * `negativeStock` and `renamingUntil` of an existing record, and its `sid` and `reference` if the new one has no such field.
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
  /** Sets `renamingUntil` (epoch ms); `false` if another renaming is not over, or without a store. */
  beginRenaming(storeClientId: string, renaming: { now: EpochMs; until: EpochMs }): Promise<boolean>;
  /** Ends the renaming with this `until`, and sets the names if given; `false` if it was over already. */
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

/** What a partner sets of a store. */
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
