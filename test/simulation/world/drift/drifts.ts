import type { Listing, RegisterName } from '../../../../shared/listings/model.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { type CatalogStore, FIRST_REFUSED_PRICE, placeOf } from '../catalog.ts';
import type { World } from '../world.ts';
import { type LiveCatalog, MOST_LAG_MS } from './live-catalog.ts';

/** A value that someone else has set in place of an accepted one. */
export interface InjectedDrift {
  readonly storeClientId: string;
  readonly target: string;
  readonly register: RegisterName;
  readonly place: string;
  readonly wanted: number | null | undefined;
  /** Epoch ms. */
  readonly at: number;
}

/** Values of others: above all that the partner sends. */
const FIRST_OF_OTHERS = 800_000;
/** Share of the drift that comes right before the end. */
const LATE_DRIFT = 0.5;
/** Milliseconds between two looks of someone who sets a value again and again. */
const FIGHTER_MS = [10_000, 60_000] as const;

/** Others who change products at the marketplace, and the marketplace's own mistakes. */
export class Drifts {
  readonly #world: World;
  readonly #live: LiveCatalog;
  readonly #simulation: Simulation;
  #lastValue = FIRST_OF_OTHERS;

  constructor(world: World, live: LiveCatalog) {
    this.#world = world;
    this.#live = live;
    this.#simulation = world.simulation;
  }

  /** Drift at some times of the trouble; some of it so late that not every read of the last run shows it. */
  plan(withinMs: number): void {
    const { random, scheduler } = this.#simulation;
    for (let count = random.integer(0, 6); count > 0; count -= 1) {
      const from = random.chance(LATE_DRIFT) ? withinMs - MOST_LAG_MS : 0;
      scheduler.after(random.integer(from, withinMs), () => this.inject());
    }
  }

  /** Changes or loses one accepted value, or removes a product; `undefined` for a removal, or where there is nothing. */
  inject(): InjectedDrift | undefined {
    const { random, now } = this.#simulation;
    const found = this.#draw();
    if (found === undefined) return undefined;
    const { storeClientId, target, place } = found;
    if (random.chance(0.15)) {
      this.#live.remove(storeClientId, target);
      return undefined;
    }
    const before = this.#live.values.previous(place);
    const isLost =
      random.chance(0.3) && typeof before === 'number' && before !== this.#live.values.get(place);
    this.#live.edit(place, isLost ? before : this.#newValue());
    return { ...found, at: now };
  }

  /** Someone sets one value again whenever it is repaired. */
  fight(): InjectedDrift | undefined {
    const found = this.#draw(isRepairable);
    if (found === undefined) return undefined;
    const { random, scheduler, now } = this.#simulation;
    const wanted = this.#live.values.get(found.place);
    const look = () => {
      if (this.#live.values.get(found.place) === wanted) this.#live.edit(found.place, this.#newValue());
      scheduler.after(random.integer(...FIGHTER_MS), look);
    };
    look();
    return { ...found, at: now };
  }

  /** A value that is live as it was accepted. `isDrawn`: default all. */
  #draw(isDrawn: typeof isRepairable = () => true): Omit<InjectedDrift, 'at'> | undefined {
    const candidates = this.#world.stores.flatMap((store) =>
      this.#live.productsOf(store).flatMap(({ target }) =>
        this.#world
          .listingsOf(store.storeClientId, [target])
          .flatMap((listing) => acceptedPlaces(store, listing).filter((one) => isDrawn(listing, one)))
          .filter(({ place, wanted }) => this.#live.values.get(place) === wanted),
      ),
    );
    return candidates.length === 0 ? undefined : this.#simulation.random.pick(candidates);
  }

  #newValue(): number {
    this.#lastValue += 1;
    return this.#lastValue;
  }
}

/** Whether the marketplace takes the value again: it refuses a special price with the newest price beside it. */
function isRepairable({ desired }: Listing, { register }: Pick<InjectedDrift, 'register'>): boolean {
  return register !== 'specialPrice' || (desired.price?.value ?? 0) < FIRST_REFUSED_PRICE;
}

/** The places of the accepted values of a listing. */
export function acceptedPlaces(store: CatalogStore, { storeClientId, target, desired, settled }: Listing) {
  return (Object.keys(desired) as RegisterName[])
    .filter((name) => settled[name]?.outcome === 'accepted' && settled[name]?.value === desired[name]?.value)
    .flatMap((register) =>
      placeNames(store, register, desired).map((name) => ({
        storeClientId,
        target,
        register,
        wanted: desired[register]?.value,
        place: placeOf(storeClientId, target, name),
      })),
    );
}

/** The global stock is that of each warehouse without its own. */
function placeNames(
  { warehouses }: CatalogStore,
  register: RegisterName,
  desired: Listing['desired'],
): string[] {
  if (register === 'price' || register === 'specialPrice') return [register];
  if (register !== 'stock') return [`stock@${register.slice('stock:'.length)}`];
  if (warehouses.length === 0) return ['stock@-'];
  return warehouses.filter((id) => desired[`stock:${id}`] === undefined).map((id) => `stock@${id}`);
}
