import type { PageRequest } from '../collections/page-request.ts';
import type { Store } from './model.ts';

/** The Stores table. */
export interface StoreTable {
  /** Strongly consistent. */
  get(storeClientId: string): Promise<Store | undefined>;
  /** Creates the store or replaces its record. */
  put(store: Store): Promise<void>;
  /**
   * `connected` → `suspended`, only while the token is still the one that was refused: a token rotated meanwhile
   * keeps its store connected. Tells whether it changed anything.
   */
  suspend(store: Pick<Store, 'storeClientId' | 'storeToken'>, reason: string, at: string): Promise<boolean>;
  list(options?: PageRequest): Promise<{ stores: Store[]; cursor?: string }>;
}
