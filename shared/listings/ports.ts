import type { Listing } from './model.ts';
import type { TargetName } from './rules/target.ts';
import type { Priority } from './rules/waiting.ts';

/** The Listings table: the source of truth for waiting work. */
export interface ListingTable {
  /** Strongly consistent. */
  get(storeClientId: string, target: string): Promise<Listing | undefined>;
  /** Those of the targets that have a listing, by target; strongly consistent. */
  getMany(storeClientId: string, targets: readonly string[]): Promise<ReadonlyMap<string, Listing>>;
  /** Which of the targets have a listing; strongly consistent. Reads far less than `getMany` if few of them have one. */
  listed(storeClientId: string, targets: readonly string[]): Promise<readonly string[]>;
  /**
   * Applies `change` to the newest listing and stores the result, as one conditional write; calls it again when
   * another writer came between. `change` returns `undefined` to leave the listing as it is. `known` is the caller's
   * own recent copy, or what tells that there was none, which saves a read and is not trusted any further.
   */
  update(
    storeClientId: string,
    target: string,
    change: (current: Listing | undefined) => Listing | undefined,
    known?: Listing | 'none',
  ): Promise<Listing | undefined>;
  /**
   * Listings of a store's lane that wait at one priority and may be sent at `dueBy` (epoch ms), oldest first. Strongly
   * consistent. `after` is the `next` of the previous page.
   */
  waiting(
    storeClientId: string,
    query: { priority: Priority; dueBy: number; limit: number; after?: string | undefined },
  ): Promise<{ listings: Listing[]; next?: string }>;
  /**
   * Epoch ms from which the lane's next listing may be sent; `undefined` when nothing waits. `among`: the priorities that
   * count, default all.
   */
  nextDue(storeClientId: string, among?: readonly Priority[]): Promise<number | undefined>;
  /**
   * Epoch ms since when the lane's oldest change waits; `undefined` when none waits. If more than a hundred listings wait at
   * one priority, only the first hundred to be sent count. `among`: as for `nextDue`.
   */
  waitingSince(storeClientId: string, among?: readonly Priority[]): Promise<number | undefined>;
  /**
   * Deletes those of a store's listings that go by one of `names` and wait for nothing, until `until` (epoch ms).
   *
   * @returns whether all of them were looked at
   */
  drop(storeClientId: string, names: readonly TargetName[], until: number): Promise<boolean>;
  /** Deletes one listing, whatever it contains. */
  remove(storeClientId: string, target: string): Promise<void>;
  /** How many of the store's listings have a price; reads them all. */
  countPriced(storeClientId: string): Promise<number>;
}

/** Says that a store's lane has work; a hint that may be lost. */
export interface LaneWaker {
  send(tickets: readonly { readonly storeClientId: string }[]): Promise<void>;
}
