import type { PageRequest } from '../collections/page-request.ts';
import type { Change } from '../collections/versioned-table.ts';
import type { EpochMs } from '../time/times.ts';
import type { Listing } from './model.ts';
import type { TargetName } from './rules/target.ts';
import type { Priority } from './rules/waiting.ts';

/** Pages that are stored before their listings. */
export interface PreparedPages {
  pageOf(target: string): string | undefined;
  /** Notes that a listing is written. */
  written(target: string): Promise<void>;
}

/** Arguments of a later `update`. */
export interface PlannedUpdate {
  readonly target: string;
  readonly change: Change<Listing>;
  readonly known: Listing | 'none';
}

/** The Listings table, without the pages of waiting listings. */
export interface ListingItems {
  /** Strongly consistent. */
  get(storeClientId: string, target: string): Promise<Listing | undefined>;
  /**
   * The listings of the targets, by target. Strongly consistent. With `mayBeStale`, eventually consistent at half the cost; that is
   * enough for the `known` of an `update`.
   */
  getMany(
    storeClientId: string,
    targets: readonly string[],
    options?: { readonly mayBeStale?: boolean },
  ): Promise<ReadonlyMap<string, Listing>>;
  /** The targets that have a listing. Strongly consistent. Reads far less than `getMany` if few targets have one. */
  listed(storeClientId: string, targets: readonly string[]): Promise<readonly string[]>;
  /**
   * Applies `change` to the newest listing and stores the result by a conditional write. Repeats both if another writer has
   * changed the listing.
   *
   * @param known the caller's copy of the listing, or `none`. It saves a read. If it is wrong, the write fails and is repeated.
   * @param finish completes the listing just before it is written.
   */
  update(
    storeClientId: string,
    target: string,
    change: Change<Listing>,
    known?: Listing | 'none',
    finish?: (next: Listing) => Promise<Listing>,
  ): Promise<Listing | undefined>;
  /**
   * Deletes the store's listings that are named by one of `names` and have no waiting value. Stops at `until` (epoch ms).
   *
   * @returns whether all listings of the store were looked at
   */
  drop(storeClientId: string, names: readonly TargetName[], until: EpochMs): Promise<boolean>;
  /** Deletes one listing, whatever it contains. */
  remove(storeClientId: string, target: string): Promise<void>;
  /** The first listings of a store whose target begins with a text, in the order of their targets. Eventually consistent. */
  named(storeClientId: string, beginning: string, limit: number): Promise<readonly Listing[]>;
  /** The first 100 listings of a product, in all stores, by the marketplace's ID in lower case. Eventually consistent. */
  ofProduct(productId: string): Promise<readonly Listing[]>;
  /** The listings of a store, in the order of their targets; eventually consistent. */
  list(storeClientId: string, page?: PageRequest): Promise<{ listings: Listing[]; cursor?: string }>;
  /** The targets of all listings of a store; eventually consistent. */
  targets(storeClientId: string): Promise<string[]>;
  /** Number of the store's listings with a price. Reads all listings of the store. */
  countPriced(storeClientId: string): Promise<number>;
}

export interface WaitingQuery {
  readonly among: readonly Priority[];
  readonly dueBy: EpochMs;
  /** Most listings of each priority. Default: all. */
  readonly limit?: number;
  /** Targets to leave out. The set may change during the query: each target is looked up right before its listing is read. */
  readonly besides?: ReadonlySet<string>;
}

/** A part of the waiting listings: at most 100. */
export interface WaitingListings {
  readonly priority: Priority;
  readonly listings: readonly Listing[];
}

/** The listings, and the pages that list the waiting ones: the source of truth for waiting work. */
export interface ListingTable extends Omit<ListingItems, 'update'> {
  /**
   * Like `update` of `ListingItems`. If the listing needs a page, the page is put first.
   *
   * @param prepared the result of `prepare` for this update.
   */
  update(
    storeClientId: string,
    target: string,
    change: Change<Listing>,
    known?: Listing | 'none',
    prepared?: PreparedPages,
  ): Promise<Listing | undefined>;
  /**
   * Puts the pages for several later updates, with many listings in each page. An update without this preparation puts a page for
   * its own listing.
   */
  prepare(updates: readonly PlannedUpdate[]): Promise<PreparedPages>;
  /**
   * Goes through the store's listings that wait at some priorities and may be sent at `dueBy` (epoch ms): by priority, zeros first,
   * then oldest first. Strongly consistent. A listing that moves meanwhile may come twice.
   */
  waiting(storeClientId: string, query: WaitingQuery): AsyncIterable<WaitingListings>;
  /**
   * A lower bound: no listing of the store waits with a smaller number than this; `undefined` if none waits at all. One read,
   * strongly consistent.
   */
  firstPriority(storeClientId: string): Promise<Priority | undefined>;
  /**
   * When the store's next listing may be sent, in epoch ms; `undefined` if none waits.
   *
   * @param among the priorities to look at; default all.
   */
  nextDue(storeClientId: string, among?: readonly Priority[]): Promise<number | undefined>;
}

/** Sends tickets: hints that a lane has work. They may be lost. */
export interface LaneWaker {
  send(tickets: readonly { readonly storeClientId: string }[]): Promise<void>;
}
