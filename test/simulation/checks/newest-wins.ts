import type { Simulation } from '../engine/simulation.ts';
import { type CatalogStore, placeOf, stockPlaces } from '../world/catalog.ts';

/** A value that the partner gave to a place at the marketplace. */
interface Candidate {
  readonly version: number;
  /** Whether it was given to this very warehouse and not to all. */
  readonly isOwn: boolean;
  readonly value: number | null;
}

/** What a partner says of one target at one version; stock is global under `stock`, or by warehouse. */
export interface PartnerValues {
  readonly price?: number;
  readonly specialPrice?: number | null;
  readonly stock?: number;
  readonly warehouses?: Readonly<Record<string, number>>;
}

/** The row that set a value: the name of its target, and when its request was signed (true time). */
interface LandedRow {
  readonly name: string;
  readonly signedAt: number;
}

/** What rows reached at one place. */
interface Reached {
  /** By the name that they went under, those that were signed before it was known that the names are one. */
  readonly byName: Map<string, Candidate>;
  /** Those that were signed after it. */
  joined?: Candidate;
}

/**
 * Design P1, judged where the values land: a place never goes from a newer value back to an older one, and ends at the
 * newest. Rows under different names of one product may land in any order if they were signed before it was durable that
 * the names are one; whatever is signed later is never older than anything before it, and none of the earlier ones lands
 * after it with an older value. The total order is written down a second time here, so that a mistake in the
 * connector's own is found.
 */
export class NewestWins {
  readonly #simulation: Simulation;
  readonly #candidates = new Map<string, Candidate[]>();
  readonly #reached = new Map<string, Reached>();
  /** By store and product. */
  readonly #namesKnownAt = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** It is durable that all names of a product are one. */
  onNamesKnown(storeClientId: string, target: string): void {
    const product = placeOf(storeClientId, target, '');
    if (!this.#namesKnownAt.has(product)) this.#namesKnownAt.set(product, this.#simulation.now);
  }

  /** The partner says so; `version` orders what it says. */
  offer(
    store: Pick<CatalogStore, 'storeClientId' | 'warehouses'>,
    target: string,
    version: number,
    values: PartnerValues,
  ): void {
    const add = (name: string, value: number | null, isOwn: boolean) => {
      const place = placeOf(store.storeClientId, target, name);
      const candidates = this.#candidates.get(place) ?? [];
      this.#candidates.set(place, [...candidates, { version, isOwn, value }].sort(compare));
    };
    const { price, specialPrice, stock, warehouses = {} } = values;
    if (price !== undefined) add('price', price, true);
    if (specialPrice !== undefined) add('specialPrice', specialPrice, true);
    if (stock !== undefined) for (const place of stockPlaces(store)) add(place, stock, false);
    for (const [clientId, own] of Object.entries(warehouses)) add(`stock@${clientId}`, own, true);
  }

  /**
   * The marketplace set a value. Of several versions with that value it is the oldest that is not a step back. `row`:
   * where products go by several names.
   */
  onApplied(place: string, value: number | null, row?: LandedRow): void {
    const { name, signedAt } = row ?? { name: '', signedAt: this.#simulation.now };
    const before: Reached = this.#reached.get(place) ?? { byName: new Map() };
    this.#reached.set(place, before);
    const isJoined = signedAt > (this.#namesKnownAt.get(productOf(place)) ?? Number.POSITIVE_INFINITY);
    const reached = newestOf([
      before.joined,
      ...(isJoined ? before.byName.values() : [before.byName.get(name)]),
    ]);
    const candidates = this.#candidates.get(place) ?? [];
    const candidate = candidates.find(
      (one) => one.value === value && (reached === undefined || compare(one, reached) >= 0),
    );
    if (candidate !== undefined) {
      if (isJoined) before.joined = candidate;
      else before.byName.set(name, candidate);
    } else if (candidates.some((one) => one.value === value)) {
      this.#simulation.violate(`P1: ${place} went back to ${value} from ${JSON.stringify(reached)}`);
    } else {
      this.#simulation.violate(`P1: ${place} was set to ${value}, which nobody asked for`);
    }
  }

  newest(place: string): Candidate | undefined {
    return this.#candidates.get(place)?.at(-1);
  }

  /** After quiescence: every place has its newest value. `isExempt`: what the marketplace refuses. */
  finish(values: ReadonlyMap<string, number | null>, isExempt: (place: string) => boolean): void {
    for (const place of this.#candidates.keys()) {
      const newest = this.newest(place);
      if (newest === undefined || isExempt(place) || values.get(place) === newest.value) continue;
      this.#simulation.violate(
        `P1: ${place} ended at ${values.get(place)} and not at ${JSON.stringify(newest)}`,
      );
    }
  }
}

/** The product of a place, as `placeOf` writes it without a value. */
function productOf(place: string): string {
  return place.slice(0, place.lastIndexOf(' ') + 1);
}

function newestOf(reached: readonly (Candidate | undefined)[]): Candidate | undefined {
  return reached
    .filter((one) => one !== undefined)
    .sort(compare)
    .at(-1);
}

/** Design §5.1: newer version, then a warehouse's own over the global, then a special price over none, then the smaller. */
function compare(a: Candidate, b: Candidate): number {
  if (a.version !== b.version) return a.version - b.version;
  if (a.isOwn !== b.isOwn) return a.isOwn ? 1 : -1;
  if (a.value === b.value) return 0;
  if (a.value === null || b.value === null) return a.value === null ? -1 : 1;
  return b.value - a.value;
}
