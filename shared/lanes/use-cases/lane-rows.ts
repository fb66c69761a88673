import type { LaneContext } from './lane-context.ts';
import { isAnythingDue, type LaneRequest, type LookQuery, pickRequests } from './pick-request.ts';

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
  /** Whether the price guard holds the store's prices. */
  pricesHeld: boolean;

  constructor(context: LaneContext, pricesHeld: boolean) {
    this.#context = context;
    this.pricesHeld = pricesHeld;
  }

  /** A hold may begin or end at any time. One that has begun is seen by the last look before a request is sent. */
  async readHold(): Promise<void> {
    const { ports, store } = this.#context;
    this.pricesHeld = (await ports.guards.get(store.storeClientId))?.hold !== undefined;
  }

  async isAnythingDue(): Promise<boolean> {
    return this.isMoreDue || isAnythingDue(this.#context.ports.listings, this.#look());
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
