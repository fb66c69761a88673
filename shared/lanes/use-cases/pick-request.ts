import { chunk } from '../../collections/packer.ts';
import { holdsPrices } from '../../guards/rules/price-guard.ts';
import type { Listing, Registers } from '../../listings/model.ts';
import type { WaitingListings } from '../../listings/ports.ts';
import {
  needsStoreWarehouses,
  renderPriceRow,
  renderStockRow,
  settleRegisters,
} from '../../listings/rules/row.ts';
import { isNamedAs } from '../../listings/rules/target.ts';
import { nextStep, type Priority, priorities } from '../../listings/rules/waiting.ts';
import type { PriceItem, StockItem } from '../../marketplace/offer-rows.ts';
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

/** The rows of one holder of a lane: which are due, which are chosen, and which are in flight. */
export class LaneRows {
  readonly #context: LaneContext;
  /** Targets of requests that are chosen or in flight. They are not sent again before their outcome is known. */
  readonly #busy = new Set<string>();
  /** Targets of requests in flight. */
  readonly #sent = new Set<string>();
  #chosen: LaneRequest[] = [];
  #choosing: Promise<void> | undefined;
  /** Requests that are ready to be filled. */
  #ready = 0;
  /** Whether more rows were due than were chosen last. */
  isMoreDue = false;
  /** Whether due rows need the store's warehouses, which are not read yet. */
  needsWarehouses = false;
  /** Client IDs of the store's warehouses, once they are read. */
  warehouses: readonly string[] | undefined;
  /** Whether the price guard held the store's prices at the last look. */
  pricesHeld: boolean;

  constructor(context: LaneContext, pricesHeld: boolean) {
    this.#context = context;
    this.pricesHeld = pricesHeld;
  }

  /** Looks whether a hold has ended. The begin of a hold is noticed by the last look before a request is sent. */
  async readHold(): Promise<void> {
    const { ports, store } = this.#context;
    this.pricesHeld = holdsPrices(await ports.guards.get(store.storeClientId));
  }

  /** Reads the listings too: a page may exist although all of its listings have left it. */
  async isAnythingDue(): Promise<boolean> {
    return this.isMoreDue || (await this.#due(1, this.#busy)).length > 0;
  }

  /** Whether a zero is due whose target is not in flight. A zero that is chosen but not sent counts too: it must go first. */
  async isZeroDue(): Promise<boolean> {
    return (await this.#due(1, this.#sent, [priorities.zeroStock])).length > 0;
  }

  /** The next request; `undefined` if there is none. Reads once for all requests that are ready to be filled. */
  async next(rowsPerRequest: number): Promise<LaneRequest | undefined> {
    this.#ready += 1;
    try {
      if (this.#chosen.length === 0) await this.#choose(rowsPerRequest);
      // If a choice was under way, it did not count this request: choose again.
      if (this.#chosen.length === 0 && this.isMoreDue) await this.#choose(rowsPerRequest);
      return this.#chosen.shift();
    } finally {
      this.#ready -= 1;
    }
  }

  begin({ rows }: LaneRequest): void {
    for (const { listing } of rows) this.#sent.add(listing.target);
  }

  /** The rows are settled, or were not sent. */
  end({ rows }: LaneRequest): void {
    for (const { listing } of rows) {
      this.#busy.delete(listing.target);
      this.#sent.delete(listing.target);
    }
  }

  #choose(rowsPerRequest: number): Promise<void> {
    this.#choosing ??= this.#pick(rowsPerRequest).finally(() => {
      this.#choosing = undefined;
    });
    return this.#choosing;
  }

  /** Chooses due rows of the highest priority that has any, for all requests that are ready. */
  async #pick(rowsPerRequest: number): Promise<void> {
    const ready = this.#ready;
    const [found, ...others] = await this.#due(rowsPerRequest * ready + 1, this.#busy);
    const all = found && (await this.#render(found));
    const requests = all === undefined ? [] : inRequests(all, rowsPerRequest);
    this.needsWarehouses = found !== undefined && all === undefined;
    // Listings without a row wait for the warehouses, or are settled now. More listings may follow them.
    const withoutRow = (found?.listings.length ?? 0) - (all?.rows.length ?? 0);
    this.isMoreDue = requests.length > ready || withoutRow > 0 || others.length > 0;
    const chosen = requests.slice(0, ready);
    for (const { rows } of chosen) for (const { listing } of rows) this.#busy.add(listing.target);
    this.#chosen.push(...chosen);
  }

  /**
   * The due listings, at most `limit` of each priority, in the order of sending. A listing that moves to another priority or page
   * meanwhile counts once. A listing whose kind of name the store does not use was written while the store's names changed. It is
   * removed; its message is redelivered.
   */
  async #due(
    limit: number,
    besides: ReadonlySet<string>,
    among: readonly Priority[] = sendingPriorities(this.pricesHeld),
  ): Promise<WaitingListings[]> {
    const { ports, store } = this.#context;
    const { storeClientId, names } = store;
    const due = new Map(among.map((priority): [Priority, Listing[]] => [priority, []]));
    const seen = new Set<string>();
    const look = { among, dueBy: ports.clock.now(), limit, besides };
    for await (const { priority, listings } of ports.listings.waiting(storeClientId, look)) {
      for (const listing of listings) {
        if (seen.has(listing.target)) continue;
        seen.add(listing.target);
        if (isNamedAs(names.products, listing)) due.get(priority)?.push(listing);
        else await ports.listings.remove(storeClientId, listing.target);
      }
    }
    return [...due].flatMap(([priority, listings]) => (listings.length > 0 ? { priority, listings } : []));
  }

  /** The rows of the listings; `undefined` if they need the store's warehouses, which are not read yet. */
  async #render({ priority, listings }: WaitingListings): Promise<LaneRequest | undefined> {
    if (priority === priorities.price) {
      const rows = listings.map((listing) => ({ listing, ...renderPriceRow(listing) }));
      return { kind: 'price', priority, rows };
    }
    const { warehouses } = this;
    const steps = listings.flatMap((listing) => {
      const step = nextStep(listing);
      return step === undefined ? [] : [{ listing, step }];
    });
    const needed = steps.some(({ listing, step }) => needsStoreWarehouses(listing, step));
    if (needed && warehouses === undefined) return undefined;
    const rows: OutgoingRow<StockItem>[] = [];
    for (const { listing, step } of steps) {
      const { row, registers } = renderStockRow(listing, step, warehouses ?? []);
      if (row !== undefined) rows.push({ listing, registers, row });
      else await this.#settle(listing, registers);
    }
    return { kind: 'stock', priority, rows };
  }

  /** Settles values that need no row: every warehouse has a newer value. */
  async #settle({ target }: Listing, registers: Registers): Promise<void> {
    const { ports, store } = this.#context;
    const now = ports.clock.now();
    await ports.listings.update(
      store.storeClientId,
      target,
      (current) => current && settleRegisters(current, registers, { outcome: 'accepted' }, now),
    );
  }
}

/** The priorities in the order of sending. While prices are held, raised stock that waits for its price has the priority `price`. */
export function sendingPriorities(pricesHeld: boolean): Priority[] {
  const { zeroStock, loweredStock, price, stock } = priorities;
  return pricesHeld ? [zeroStock, loweredStock, stock] : [zeroStock, loweredStock, price, stock];
}

function inRequests({ rows, ...request }: LaneRequest, rowsPerRequest: number): LaneRequest[] {
  return chunk<OutgoingRow<unknown>>(rows, rowsPerRequest).map(
    (some) => ({ ...request, rows: some }) as LaneRequest,
  );
}
