import type { Listing } from './model.ts';
import type { TargetName } from './rules/target.ts';
import type { Priority } from './rules/waiting.ts';

/** Makes the new listing out of the newest one; `undefined` leaves it as it is. May be called several times. */
export type ListingChangeOf = (current: Listing | undefined) => Listing | undefined;

/** Pages that were put for listings before these are written, by target. */
export type PreparedPages = ReadonlyMap<string, string>;

/** An update that is about to be made. */
export interface PlannedUpdate {
  readonly target: string;
  readonly change: ListingChangeOf;
  readonly known: Listing | 'none';
}

/** The listings by themselves, without the pages that say which of them wait. */
export interface ListingItems {
  /** Strongly consistent. */
  get(storeClientId: string, target: string): Promise<Listing | undefined>;
  /**
   * Those of the targets that have a listing, by target; strongly consistent, but with `mayBeStale`, which costs half: for a
   * copy that an `update` is to begin with.
   */
  getMany(
    storeClientId: string,
    targets: readonly string[],
    options?: { readonly mayBeStale?: boolean },
  ): Promise<ReadonlyMap<string, Listing>>;
  /** Which of the targets have a listing; strongly consistent. Reads far less than `getMany` if few of them have one. */
  listed(storeClientId: string, targets: readonly string[]): Promise<readonly string[]>;
  /**
   * Applies `change` to the newest listing and stores the result, as one conditional write; calls it again when
   * another writer came between. `known` is the caller's own recent copy, or what tells that there was none, which saves
   * a read and is not trusted any further. `finish` has the last word on what is written.
   */
  update(
    storeClientId: string,
    target: string,
    change: ListingChangeOf,
    known?: Listing | 'none',
    finish?: (next: Listing) => Promise<Listing>,
  ): Promise<Listing | undefined>;
  /**
   * Deletes those of a store's listings that go by one of `names` and wait for nothing, until `until` (epoch ms).
   *
   * @returns whether all of them were looked at
   */
  drop(storeClientId: string, names: readonly TargetName[], until: number): Promise<boolean>;
  /** Deletes one listing, whatever it contains. */
  remove(storeClientId: string, target: string): Promise<void>;
  /** The targets of all listings of a store; eventually consistent. */
  targets(storeClientId: string): Promise<string[]>;
  /** How many of the store's listings have a price; reads them all. */
  countPriced(storeClientId: string): Promise<number>;
}

/** The listings with what waits: the source of truth for waiting work. */
export interface ListingTable extends Omit<ListingItems, 'update'> {
  /**
   * Applies `change` to the newest listing and stores the result, as one conditional write; calls it again when
   * another writer came between. `known` is the caller's own recent copy, or what tells that there was none, which saves
   * a read and is not trusted any further. `prepared` is what `prepare` gave for the same change.
   */
  update(
    storeClientId: string,
    target: string,
    change: ListingChangeOf,
    known?: Listing | 'none',
    prepared?: PreparedPages,
  ): Promise<Listing | undefined>;
  /**
   * Puts the pages that several updates of a store will need, many listings to a page. An update that was not prepared
   * puts a page of its own.
   */
  prepare(storeClientId: string, updates: readonly PlannedUpdate[]): Promise<PreparedPages>;
  /**
   * Listings of a store's lane that wait at one priority and may be sent at `dueBy` (epoch ms), oldest first. Strongly
   * consistent. `after` is the `next` of the previous page. `besides`: targets that are left out.
   */
  waiting(
    storeClientId: string,
    query: {
      priority: Priority;
      dueBy: number;
      limit: number;
      after?: string | undefined;
      besides?: ReadonlySet<string> | undefined;
    },
  ): Promise<{ listings: Listing[]; next?: string }>;
  /**
   * Epoch ms from which the lane's next listing may be sent; `undefined` when nothing waits. `among`: the priorities that
   * count, default all.
   */
  nextDue(storeClientId: string, among?: readonly Priority[]): Promise<number | undefined>;
}

/** Says that a store's lane has work; a hint that may be lost. */
export interface LaneWaker {
  send(tickets: readonly { readonly storeClientId: string }[]): Promise<void>;
}
