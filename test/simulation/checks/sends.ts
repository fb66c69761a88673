import type { Listing, RegisterName } from '../../../shared/listings/model.ts';
import type { TransportRequest } from '../../../shared/marketplace/transport.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { type CatalogStore, findTarget, placeOf, stockPlaces } from '../world/catalog.ts';
import type { Exchange } from '../world/network.ts';
import { type SentRow, stocksOf, targetOfRow } from '../world/sent-rows.ts';
import { isPending, pendingZeros, zerosDueAt } from './listing-view.ts';

/** The data that a process had read when it chose a target for a request. */
interface Pick {
  readonly listing: Listing;
  /** Targets of the lane whose zero stock it could have chosen instead. */
  readonly zeros: ReadonlySet<string>;
}

/** The state of one process. */
interface Observed {
  zeros: ReadonlySet<string>;
  hasLookedForZeros: boolean;
  /** Listings as last read, by target. */
  readonly found: Map<string, Pick>;
  /** Listings as read when the request of the target was begun, by target. */
  readonly picked: Map<string, Pick>;
  /** True time until which a target counts as part of an open request. */
  readonly busyUntil: Map<string, number>;
  /** The signature of the last request, by target. */
  readonly signed: Map<string, Signed>;
  /** True time at which a target was sent last. */
  readonly sentAt: Map<string, number>;
}

/** The state when a request was signed. */
interface Signed {
  /** True time. */
  readonly at: number;
  /** Zeros that waited then, by target; none of them in flight except in this request. */
  readonly zeros: ReadonlyMap<string, Listing>;
  /** The listing of the target. */
  readonly listing: Listing;
}

/** Milliseconds within which a process writes the outcome of each row after an answer. */
const SETTLING_MS = 5_000;

/** P5 and P1 at every send: the order of sending, and no target in flight twice. */
export class SendChecks {
  readonly #simulation: Simulation;
  readonly #stores: readonly CatalogStore[];
  readonly #shown: (place: string) => number | null | undefined;
  readonly #processes = new WeakMap<SimulatedProcess, Observed>();
  /** True time. */
  readonly #signedAt = new WeakMap<TransportRequest, number>();

  /** `shown`: the value that the marketplace shows at a place, as far as its answers can tell. */
  constructor(
    simulation: Simulation,
    stores: readonly CatalogStore[],
    shown: (place: string) => number | null | undefined,
  ) {
    this.#simulation = simulation;
    this.#stores = stores;
    this.#shown = shown;
  }

  /**
   * A lease holder reads the due listings of a priority; `due` are the zeros of the lane. Its first read must be for
   * zeros, even when prices are held.
   */
  onLook(process: SimulatedProcess, priority: number, due: readonly Listing[]): void {
    const observed = this.#observed(process);
    if (priority !== 0) {
      if (observed.hasLookedForZeros) return;
      this.#simulation.violate(
        `P5: a look for what may leave begins with priority ${priority}, not with zeros`,
      );
    }
    observed.hasLookedForZeros = true;
    const { now } = this.#simulation;
    const free = due.filter((listing) => isFree(listing, observed.busyUntil, now));
    observed.zeros = new Set(free.map(({ target }) => target));
  }

  /**
   * A lease holder has read the zeros of its lane; `due` are those of now. A zero that was replaced since the look began may
   * be missed: its page is read before its listing.
   */
  onZerosRead(process: SimulatedProcess, due: readonly Listing[]): void {
    const observed = this.#observed(process);
    const still = new Set(due.map(({ target }) => target));
    observed.zeros = new Set([...observed.zeros].filter((target) => still.has(target)));
  }

  /** A process has read listings that may be sent, and may choose among them. */
  onFound(process: SimulatedProcess, listings: readonly Listing[]): void {
    const { found, zeros } = this.#observed(process);
    for (const listing of listings) found.set(listing.target, { listing, zeros });
  }

  /** A process chose these targets for a request; returns a callback for its answer or failure. */
  onBegun(process: SimulatedProcess, targets: readonly string[]): () => void {
    const { found, picked, busyUntil } = this.#observed(process);
    for (const target of targets) {
      const pick = found.get(target);
      if (pick !== undefined) picked.set(target, pick);
    }
    for (const target of targets) busyUntil.set(target, Number.POSITIVE_INFINITY);
    return () => {
      for (const target of targets) busyUntil.set(target, this.#simulation.now + SETTLING_MS);
    };
  }

  /** A process signs a request for these listings; `due` are the zeros of its lane. */
  onSigned(
    process: SimulatedProcess,
    { listings, due }: { readonly listings: readonly Listing[]; readonly due: readonly Listing[] },
  ): void {
    const { signed, busyUntil } = this.#observed(process);
    const at = this.#simulation.now;
    const own = new Set(listings.map(({ target }) => target));
    const first = due.filter((one) => own.has(one.target) || isFree(one, busyUntil, at));
    const zeros = new Map(first.map((one) => [one.target, one]));
    for (const listing of listings) signed.set(listing.target, { at, zeros, listing });
  }

  /** True time at which a request that was sent had been signed. */
  signedAtOf(request: TransportRequest): number {
    return this.#signedAt.get(request) ?? this.#simulation.now;
  }

  /** A request is sent; `due` are the zeros of its lane. */
  onSent(exchange: Exchange, others: readonly Exchange[], due: readonly Listing[]): void {
    const [first] = exchange.rows.map(targetOfRow);
    const signed = this.#observed(exchange.process).signed.get(first ?? '');
    if (signed !== undefined) this.#signedAt.set(exchange.request, signed.at);
    this.#checkOnWayOnce(exchange, others);
    this.#checkZeroFirst(exchange);
    if (signed !== undefined) this.#checkZeroAtSigning(exchange, signed, due);
    const { sentAt } = this.#observed(exchange.process);
    for (const row of exchange.rows) sentAt.set(targetOfRow(row), this.#simulation.now);
    for (const row of exchange.rows) {
      const stocks = stocksOf(row);
      const raises = stocks.some((stock) => stock > 0);
      if (raises && stocks.includes(0)) {
        this.#simulation.violate(`P5: a row mixes a zero with a raise: ${JSON.stringify(row)}`);
      }
      if (raises) this.#checkPriceFirst(exchange, row);
    }
  }

  #checkOnWayOnce(exchange: Exchange, others: readonly Exchange[]): void {
    const targets = new Set(exchange.rows.map(targetOfRow));
    if (targets.size < exchange.rows.length) this.#simulation.violate('one request names a target twice');
    const mayLand = others.filter(
      ({ storeClientId, isOutcomeKnown, mayLandUntil }) =>
        storeClientId === exchange.storeClientId && !isOutcomeKnown && mayLandUntil > this.#simulation.now,
    );
    const twice = mayLand.flatMap(({ rows }) => rows.map(targetOfRow)).find((target) => targets.has(target));
    if (twice === undefined) return;
    this.#simulation.violate(`P1: ${twice} is sent while an earlier request for it may still land`);
  }

  /** A zero that arrived between the choice of the rows and their signature is not sent after them. */
  #checkZeroAtSigning({ process, rows }: Exchange, { at, zeros }: Signed, due: readonly Listing[]): void {
    if (process.isHeldUp || rows.some(isOfZeros)) return;
    const { sentAt } = this.#observed(process);
    const left = due.find((listing) => {
      // It was sent since then, and its outcome is not stored yet.
      if ((sentAt.get(listing.target) ?? Number.NEGATIVE_INFINITY) >= at) return false;
      const before = zeros.get(listing.target);
      return (
        before !== undefined && pendingZeros(listing).some((name) => isSameWanted(name, before, listing))
      );
    });
    if (left === undefined) return;
    this.#simulation.violate(`P5: a request is sent that was signed while ${left.target} waited to become 0`);
  }

  #checkZeroFirst({ process, rows }: Exchange): void {
    const { picked } = this.#observed(process);
    // While the recording of outcomes hangs, a zero stays part of a request that was answered long ago.
    if (process.isHeldUp) return;
    for (const row of rows) {
      if (isOfZeros(row)) continue;
      const zeros = [...(picked.get(targetOfRow(row))?.zeros ?? [])];
      if (zeros.length === 0) continue;
      this.#simulation.violate(
        `P5: ${targetOfRow(row)} is sent before a zero that waited: ${zeros.join(' ')}`,
      );
    }
  }

  #checkPriceFirst({ process, storeClientId }: Exchange, row: SentRow): void {
    const target = targetOfRow(row);
    const listing = this.#observed(process).signed.get(target)?.listing;
    if (listing === undefined) {
      this.#simulation.violate(`${target} was sent without being signed for`);
    } else if (isPending(listing, 'price') || isPending(listing, 'specialPrice')) {
      // For a process that hung since its signature, the shown value of that time is not known.
      if (process.isHeldUp || !this.#isRaised(storeClientId, listing, row)) return;
      this.#simulation.violate(`P5: stock of ${target} is raised before its waiting price`);
    }
  }

  /** Whether a row sets stock above the shown value at some place, or at a place without one. */
  #isRaised(storeClientId: string, listing: Listing, row: SentRow): boolean {
    const store = this.#stores.find((one) => one.storeClientId === storeClientId);
    const product = store && findTarget(store, listing.target);
    if (store === undefined || product === undefined) return true;
    const { stock, warehouses = [] } = row;
    const set: [string, number][] = [
      ...(stock === undefined ? [] : stockPlaces(store).map((place): [string, number] => [place, stock])),
      ...warehouses.map((one): [string, number] => [`stock@${one.clientId}`, one.stock]),
    ];
    return set.some(([place, value]) => {
      const shown = this.#shown(placeOf(storeClientId, product.target, place));
      return typeof shown !== 'number' || value > shown;
    });
  }

  #observed(process: SimulatedProcess): Observed {
    const known = this.#processes.get(process);
    if (known !== undefined) return known;
    const fresh = {
      zeros: new Set<string>(),
      hasLookedForZeros: false,
      found: new Map(),
      picked: new Map(),
      busyUntil: new Map(),
      signed: new Map(),
      sentAt: new Map(),
    };
    this.#processes.set(process, fresh);
    return fresh;
  }
}

/** The listings of a lane whose zero stock is due at `now`, for a process with any clock skew. */
export function dueZeros(listings: readonly Listing[], storeClientId: string, now: number): Listing[] {
  return listings.filter(
    (listing) =>
      listing.storeClientId === storeClientId &&
      pendingZeros(listing).length > 0 &&
      zerosDueAt(listing) < now,
  );
}

/** Whether a target is in no open request of a process at `now` (true time). */
function isFree({ target }: Listing, busyUntil: ReadonlyMap<string, number>, now: number): boolean {
  return (busyUntil.get(target) ?? 0) < now;
}

function isOfZeros(row: SentRow): boolean {
  const stocks = stocksOf(row);
  return stocks.length > 0 && stocks.every((stock) => stock === 0);
}

/** Whether the desired value and version of a register have not changed. */
function isSameWanted(name: RegisterName, before: Listing, listing: Listing): boolean {
  const [wanted, wantedBefore] = [listing.desired[name], before.desired[name]];
  return wanted?.version === wantedBefore?.version && wanted?.value === wantedBefore?.value;
}
