import { chunk } from '../../collections/packer.ts';
import type { Listing, Registers } from '../../listings/model.ts';
import type { ListingTable } from '../../listings/ports.ts';
import {
  needsStoreWarehouses,
  renderPriceRow,
  renderStockRow,
  settleRegisters,
} from '../../listings/rules/row.ts';
import { isNamedAs } from '../../listings/rules/target.ts';
import { nextStep, type Priority, priorities } from '../../listings/rules/waiting.ts';
import type { PriceItem, StockItem } from '../../marketplace/offer-rows.ts';
import type { Store } from '../../stores/model.ts';
import type { EpochMs } from '../../time/times.ts';
import type { LaneContext } from './lane-context.ts';

/** A row to send, with its listing and the registers that its outcome settles. */
export interface OutgoingRow<Row> {
  readonly listing: Listing;
  readonly registers: Registers;
  readonly row: Row;
}

/** The rows of one bulk request. */
export type LaneRequest = { readonly priority: Priority } & (
  | { readonly kind: 'stock'; readonly rows: readonly OutgoingRow<StockItem>[] }
  | { readonly kind: 'price'; readonly rows: readonly OutgoingRow<PriceItem>[] }
);

type PickTable = Pick<ListingTable, 'firstPriority' | 'waiting' | 'remove' | 'update'>;

interface LookQuery {
  readonly store: Store;
  readonly now: EpochMs;
  /** Targets in flight: they are not sent again before their outcome is known. */
  readonly busy: ReadonlySet<string>;
  /** Whether the price guard holds the store's prices. */
  readonly pricesHeld: boolean;
}

interface PickQuery extends LookQuery {
  readonly rowsPerRequest: number;
  /** Number of requests that may be sent now. */
  readonly requests: number;
  /** Client IDs of the store's warehouses; `undefined` before they are read. */
  readonly warehouses: readonly string[] | undefined;
}

/** The next requests. */
interface Picked {
  readonly requests: readonly LaneRequest[];
  /** Whether more rows are due. */
  readonly isMoreDue: boolean;
  /** Whether other due rows need the store's warehouses. */
  readonly needsWarehouses: boolean;
}

/** The rows of one holder of a lane: which are due, which are chosen, and which are in flight. */
export class LaneRows {
  readonly #context: LaneContext;
  /** Targets of requests that are chosen or in flight. */
  readonly #busy = new Set<string>();
  /** Those of requests in flight. Targets only chosen are not in it, so that a chosen zero still goes first. */
  readonly sent = new Set<string>();
  #chosen: LaneRequest[] = [];
  #choosing: Promise<void> | undefined;
  #waiting = 0;
  /** Whether more rows were due than were chosen last. */
  isMoreDue = false;
  needsWarehouses = false;
  /** Client IDs of the store's warehouses, once they are read. */
  warehouses: readonly string[] | undefined;
  /** Whether the price guard holds the store's prices, by the last look. */
  pricesHeld: boolean;

  constructor(context: LaneContext, pricesHeld: boolean) {
    this.#context = context;
    this.pricesHeld = pricesHeld;
  }

  /** Whether a hold has ended. One that begins is seen by the last look before a request is sent. */
  async readHold(): Promise<void> {
    const { ports, store } = this.#context;
    this.pricesHeld = (await ports.guards.get(store.storeClientId))?.hold !== undefined;
  }

  async isAnythingDue(): Promise<boolean> {
    if (this.isMoreDue) return true;
    const due = await dueByPriority(this.#context.ports.listings, this.#look(), 1);
    return due.some(({ listings }) => listings.length > 0);
  }

  /** The next request; `undefined` if there is none. Reads once for all requests that are ready to be filled. */
  async next(rowsPerRequest: number): Promise<LaneRequest | undefined> {
    this.#waiting += 1;
    try {
      if (this.#chosen.length === 0) await this.#choose(rowsPerRequest);
      // A choice that had begun was for the requests that were ready then.
      if (this.#chosen.length === 0 && this.isMoreDue) await this.#choose(rowsPerRequest);
      return this.#chosen.shift();
    } finally {
      this.#waiting -= 1;
    }
  }

  begin({ rows }: LaneRequest): void {
    for (const { listing } of rows) this.sent.add(listing.target);
  }

  /** The rows are settled, or were not sent. */
  end({ rows }: LaneRequest): void {
    for (const { listing } of rows) {
      this.#busy.delete(listing.target);
      this.sent.delete(listing.target);
    }
  }

  #choose(rowsPerRequest: number): Promise<void> {
    this.#choosing ??= this.#pick(rowsPerRequest).finally(() => {
      this.#choosing = undefined;
    });
    return this.#choosing;
  }

  async #pick(rowsPerRequest: number): Promise<void> {
    const { requests, isMoreDue, needsWarehouses } = await pickRequests(this.#context.ports.listings, {
      ...this.#look(),
      rowsPerRequest,
      requests: this.#waiting,
      warehouses: this.warehouses,
    });
    this.isMoreDue = isMoreDue;
    this.needsWarehouses = needsWarehouses;
    for (const { rows } of requests) for (const { listing } of rows) this.#busy.add(listing.target);
    this.#chosen.push(...requests);
  }

  #look(): LookQuery {
    const { ports, store } = this.#context;
    return { store, now: ports.clock.now(), busy: this.#busy, pricesHeld: this.pricesHeld };
  }
}

/** The priorities in the order of sending. Higher stock that waits for a held price has the priority of prices. */
export function sendingPriorities(pricesHeld: boolean): Priority[] {
  const { zeroStock, loweredStock, price, stock } = priorities;
  return pricesHeld ? [zeroStock, loweredStock, stock] : [zeroStock, loweredStock, price, stock];
}

/** Picks the due rows of the highest priority that has due rows. */
async function pickRequests(table: PickTable, pick: PickQuery): Promise<Picked> {
  const due = await dueByPriority(table, pick, pick.rowsPerRequest * pick.requests + 1);
  const first = due.findIndex(({ listings }) => listings.length > 0);
  const found = due[first];
  if (found === undefined) return { requests: [], isMoreDue: false, needsWarehouses: false };
  const all = await renderRows(table, pick, found);
  if (all === 'warehouses-needed') return { requests: [], isMoreDue: true, needsWarehouses: true };
  const requests = inRequests(all, pick.rowsPerRequest);
  const isMoreDue =
    requests.length > pick.requests ||
    // Listings that needed no row are settled now; others may follow them.
    all.rows.length < found.listings.length ||
    due.slice(first + 1).some(({ listings }) => listings.length > 0);
  return { requests: requests.slice(0, pick.requests), isMoreDue, needsWarehouses: false };
}

/** Whether a zero is due whose target is not busy. */
export async function isZeroDue(listings: PickTable, look: Omit<LookQuery, 'pricesHeld'>): Promise<boolean> {
  return (await dueListings(listings, look, priorities.zeroStock, 1)).length > 0;
}

interface Due {
  readonly priority: Priority;
  readonly listings: readonly Listing[];
}

/** The due listings of each priority, zeros first. A listing that moved between two reads, to another priority or page, counts once. */
async function dueByPriority(table: PickTable, look: LookQuery, limit: number): Promise<Due[]> {
  const first = await table.firstPriority(look.store.storeClientId);
  if (first === undefined) return [];
  const [zeros = priorities.zeroStock, ...others] = sendingPriorities(look.pricesHeld);
  const read = async (priority: Priority): Promise<Due> => ({
    priority,
    listings: priority < first ? [] : await dueListings(table, look, priority, limit),
  });
  const found = [await read(zeros), ...(await Promise.all(others.map(read)))];
  const seen = new Set<string>();
  const isFirst = ({ target }: Listing) => {
    const isNew = !seen.has(target);
    seen.add(target);
    return isNew;
  };
  return found.map(({ priority, listings }) => ({ priority, listings: listings.filter(isFirst) }));
}

/**
 * Due listings of one priority. A listing with another name than the store uses was written while the names changed. It is
 * removed; its message is redelivered.
 */
async function dueListings(
  table: PickTable,
  { store: { storeClientId, names }, now, busy }: Omit<LookQuery, 'pricesHeld'>,
  priority: Priority,
  limit: number,
): Promise<readonly Listing[]> {
  const due: Listing[] = [];
  let after: string | undefined;
  do {
    const page = await table.waiting(storeClientId, {
      priority,
      dueBy: now,
      limit,
      besides: busy,
      ...(after && { after }),
    });
    const isOwn = (listing: Listing) => isNamedAs(names.products, listing);
    for (const { target } of page.listings.filter((listing) => !isOwn(listing))) {
      await table.remove(storeClientId, target);
    }
    due.push(...page.listings.filter(isOwn));
    after = page.next;
  } while (due.length < limit && after !== undefined);
  return due.slice(0, limit);
}

async function renderRows(
  table: PickTable,
  { store: { storeClientId }, now, warehouses }: PickQuery,
  { priority, listings }: Due,
): Promise<LaneRequest | 'warehouses-needed'> {
  if (priority === priorities.price) {
    const rows = listings.map((listing) => ({ listing, ...renderPriceRow(listing) }));
    return { kind: 'price', priority, rows };
  }
  const steps = listings.flatMap((listing) => {
    const step = nextStep(listing);
    return step === undefined ? [] : [{ listing, step }];
  });
  const needed = steps.some(({ listing, step }) => needsStoreWarehouses(listing, step));
  if (needed && warehouses === undefined) return 'warehouses-needed';
  const rows: OutgoingRow<StockItem>[] = [];
  for (const { listing, step } of steps) {
    const { row, registers } = renderStockRow(listing, step, warehouses ?? []);
    if (row !== undefined) rows.push({ listing, registers, row });
    else {
      // Each warehouse has a newer value.
      const settled = (current: Listing | undefined) =>
        current && settleRegisters(current, registers, { outcome: 'accepted' }, now);
      await table.update(storeClientId, listing.target, settled);
    }
  }
  return { kind: 'stock', priority, rows };
}

function inRequests({ rows, ...request }: LaneRequest, rowsPerRequest: number): LaneRequest[] {
  return chunk<OutgoingRow<unknown>>(rows, rowsPerRequest).map(
    (some) => ({ ...request, rows: some }) as LaneRequest,
  );
}
