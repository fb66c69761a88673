import type { Simulation } from '../engine/simulation.ts';
import { type CatalogStore, placeOf, stockPlaces } from '../world/catalog.ts';

/** A value from the partner for a place at the marketplace. */
interface Candidate {
  readonly version: number;
  /** Whether it was given for this warehouse and not for all. */
  readonly isOwn: boolean;
  readonly value: number | null;
  /** Whether it must not be applied, as far as is known now. */
  readonly isVoid: () => boolean;
}

/** The values of one target at one version; stock is global under `stock`, or by warehouse. */
export interface PartnerValues {
  readonly price?: number;
  readonly specialPrice?: number | null;
  readonly stock?: number;
  readonly warehouses?: Readonly<Record<string, number>>;
}

const NEVER = () => false;

/**
 * P1, checked where the values land: a place never goes from a newer value back to an older one, and ends at the newest.
 * The total order is implemented a second time here, so that a mistake in the connector's order is found.
 */
export class NewestWins {
  readonly #simulation: Simulation;
  readonly #candidates = new Map<string, Candidate[]>();
  readonly #reached = new Map<string, Candidate>();
  /** Applied values that may still turn out to be void, with their places. */
  readonly #mayBeVoid = new Map<Candidate, string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Records values of the partner; `version` orders them. `isVoid` says whether they must not be applied after all. */
  offer(
    store: Pick<CatalogStore, 'storeClientId' | 'warehouses'>,
    target: string,
    version: number,
    values: PartnerValues,
    isVoid: () => boolean = NEVER,
  ): void {
    const add = (name: string, value: number | null, isOwn: boolean) => {
      const place = placeOf(store.storeClientId, target, name);
      const candidates = this.#candidates.get(place) ?? [];
      this.#candidates.set(place, [...candidates, { version, isOwn, value, isVoid }].sort(compare));
    };
    const { price, specialPrice, stock, warehouses = {} } = values;
    if (price !== undefined) add('price', price, true);
    if (specialPrice !== undefined) add('specialPrice', specialPrice, true);
    if (stock !== undefined) for (const place of stockPlaces(store)) add(place, stock, false);
    for (const [clientId, own] of Object.entries(warehouses)) add(`stock@${clientId}`, own, true);
  }

  /** The marketplace set a value. If several versions have it, the oldest one that is not a step back counts. */
  onApplied(place: string, value: number | null): void {
    const reached = this.#reached.get(place);
    const candidates = (this.#candidates.get(place) ?? []).filter(({ isVoid }) => !isVoid());
    const candidate = candidates.find(
      (one) => one.value === value && (reached === undefined || compare(one, reached) >= 0),
    );
    if (candidate !== undefined) {
      this.#reached.set(place, candidate);
      if (candidate.isVoid !== NEVER) this.#mayBeVoid.set(candidate, place);
    } else if (candidates.some((one) => one.value === value)) {
      this.#simulation.violate(`P1: ${place} went back to ${value} from ${JSON.stringify(reached)}`);
    } else {
      this.#simulation.violate(
        `P1: ${place} was set to ${value}, which the partner never sent, or not to be applied`,
      );
    }
  }

  /** A product was recreated: the values at its places are older than all others, and rows in flight land after. */
  onRecreated(places: readonly string[]): void {
    for (const place of places) this.#reached.delete(place);
  }

  /** A store's products have other names: the values that it had by the former ones count no more. */
  onRenamed(storeClientId: string): void {
    const isOfStore = (place: string) => place.startsWith(`${storeClientId} `);
    for (const map of [this.#candidates, this.#reached])
      for (const place of map.keys()) if (isOfStore(place)) map.delete(place);
    for (const [candidate, place] of this.#mayBeVoid) if (isOfStore(place)) this.#mayBeVoid.delete(candidate);
  }

  newest(place: string): Candidate | undefined {
    return this.#candidates.get(place)?.findLast(({ isVoid }) => !isVoid());
  }

  /** The newest value of each place. */
  newestOfAll(): { readonly place: string; readonly value: number | null }[] {
    return [...this.#candidates.keys()].flatMap((place) => {
      const newest = this.newest(place);
      return newest === undefined ? [] : [{ place, value: newest.value }];
    });
  }

  /** After quiescence: every place has its newest value, except those that the marketplace refuses (`isExempt`). */
  finish(values: ReadonlyMap<string, number | null>, isExempt: (place: string) => boolean): void {
    // No special price is not a unique value: another update may have applied it.
    for (const [{ value, isVoid }, place] of this.#mayBeVoid)
      if (value !== null && isVoid())
        this.#simulation.violate(`P1: ${place} was set to ${value} by a refused update`);
    for (const place of this.#candidates.keys()) {
      const newest = this.newest(place);
      if (newest === undefined || isExempt(place) || values.get(place) === newest.value) continue;
      this.#simulation.violate(
        `P1: ${place} ended at ${values.get(place)} and not at ${JSON.stringify(newest)}`,
      );
    }
  }
}

/**
 * The total order ("How newest wins" in docs/architecture.md): newer version, a warehouse's own value over the global one,
 * a special price over none, the smaller value.
 */
function compare(a: Candidate, b: Candidate): number {
  if (a.version !== b.version) return a.version - b.version;
  if (a.isOwn !== b.isOwn) return a.isOwn ? 1 : -1;
  if (a.value === b.value) return 0;
  if (a.value === null || b.value === null) return a.value === null ? -1 : 1;
  return b.value - a.value;
}
