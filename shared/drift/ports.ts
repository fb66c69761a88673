import type { PageRequest } from '../collections/page-request.ts';
import type { VersionedTable } from '../collections/versioned-table.ts';
import type { Drift, ShownPage, Verification } from './model.ts';

/** The Drift table: the drifts of listings, and the pages that the current and the last cycle of a store read. */
export interface DriftTable extends VersionedTable<Drift, [storeClientId: string, target: string]> {
  /** Removes a drift. @returns `false` if it has changed since it was read or written here */
  remove(known: Drift): Promise<boolean>;
  /** All drifts of a store, by target; strongly consistent. */
  ofStore(storeClientId: string): Promise<Map<string, Drift>>;
  list(storeClientId: string, page?: PageRequest): Promise<{ drifts: Drift[]; cursor?: string }>;
  /** Contested drifts of all stores, the oldest first. Eventually consistent. */
  listContested(page?: PageRequest): Promise<{ drifts: Drift[]; cursor?: string }>;
  /** Replaces the page of an earlier cycle, but never the page of a later cycle: a late run may still be reading an old one. */
  putPage(storeClientId: string, page: ShownPage): Promise<void>;
  /** All pages of a store, of every cycle. Strongly consistent. */
  pagesOf(storeClientId: string): Promise<ShownPage[]>;
  listPages(storeClientId: string, page?: PageRequest): Promise<{ pages: ShownPage[]; cursor?: string }>;
  /** Removes pages. A page that a later cycle has replaced meanwhile stays. */
  removePages(storeClientId: string, pages: readonly ShownPage[]): Promise<void>;
}

/** The Verifications table: one small record per store. */
export interface VerificationTable extends VersionedTable<Verification, [storeClientId: string]> {
  get(storeClientId: string): Promise<Verification | undefined>;
  /** The records of all stores, by store. Eventually consistent. */
  all(): Promise<Map<string, Verification>>;
}
