import type { PageRequest } from '../collections/page-request.ts';
import type { Store, StoreCredentials, StoreWarehouses } from './model.ts';
import type { OnboardSession } from './onboard-session.ts';

/**
 * The Stores table. Changes of state happen only from the states that `STORE_TRANSITIONS` name, and only while the
 * token is still the given one: a store whose token was rotated meanwhile stays as it is. They tell whether they
 * changed anything. `at` is ISO 8601.
 */
export interface StoreTable {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Store | undefined>;
  /** Creates the store or replaces its record. */
  put(store: Store): Promise<void>;
  suspend(store: StoreCredentials, reason: string, at: string): Promise<boolean>;
  resume(store: StoreCredentials, at: string): Promise<boolean>;
  unbind(store: StoreCredentials, at: string): Promise<boolean>;
  /** Remembers the store's warehouses as they were read; nothing happens for a store that is not there. */
  putWarehouses(storeClientId: string, warehouses: StoreWarehouses): Promise<void>;
  list(options?: PageRequest): Promise<{ stores: Store[]; cursor?: string }>;
}

/** The Sessions table: onboardings that were begun. */
export interface OnboardSessionTable {
  put(session: OnboardSession): Promise<void>;
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when
   * another writer came between. `change` returns `undefined` to leave the record as it is.
   */
  update(
    nonce: string,
    change: (current: OnboardSession | undefined) => OnboardSession | undefined,
  ): Promise<OnboardSession | undefined>;
}
