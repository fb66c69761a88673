import { rearmTargets } from '../../../shared/listings/use-cases/rearm.ts';
import type { CatalogStore, CatalogTarget } from './catalog.ts';
import type { Functions } from './functions.ts';
import type { World } from './world.ts';

/** Share of seeds in which products are deleted and created again. */
const RECREATING_SEEDS = 0.3;
/** Milliseconds after which an unfinished creation is redelivered. */
const AGAIN_AFTER_MS = 20_000;

/** Deletes products and creates them again, and rearms their listings. */
export class Recreations {
  readonly #world: World;
  readonly #functions: Functions;
  #open = 0;

  constructor(world: World, functions: Functions) {
    this.#world = world;
    this.#functions = functions;
  }

  /** Whether the listings of all recreated products are rearmed. */
  get areKnown(): boolean {
    return this.#open === 0;
  }

  plan(withinMs: number): void {
    const { simulation, stores } = this.#world;
    const { random, scheduler } = simulation;
    if (!random.chance(RECREATING_SEEDS)) return;
    for (let count = random.integer(1, 6); count > 0; count -= 1) {
      const store = random.pick(stores);
      const target = random.pick(store.targets);
      if (target.nature !== 'ordinary') continue;
      this.#open += 1;
      scheduler.after(random.integer(0, withinMs), () => this.#recreate(store, target));
    }
  }

  #recreate(store: CatalogStore, target: CatalogTarget): void {
    const { simulation, marketplace, newestWins } = this.#world;
    const { random, scheduler } = simulation;
    newestWins.onRecreated(marketplace.recreate(store, target));
    scheduler.after(random.integer(0, random.pick([500, 20_000])), () => {
      const createdAt = Math.floor(simulation.now) - random.integer(0, simulation.maxSkewMs);
      this.#makeKnown(store.storeClientId, target.target, createdAt);
    });
  }

  /** Repeats until it is done; a redelivery may do it once more. */
  #makeKnown(storeClientId: string, target: string, createdAt: number): void {
    const { random, scheduler } = this.#world.simulation;
    let isDone = false;
    this.#functions.operate(async (ports) => {
      if (await rearmTargets(ports, storeClientId, [target], { knownAt: createdAt }, () => undefined))
        await ports.tickets.send([{ storeClientId }]);
      isDone = true;
    });
    scheduler.after(AGAIN_AFTER_MS, () => {
      if (!isDone || random.chance(0.2)) this.#makeKnown(storeClientId, target, createdAt);
      else this.#open -= 1;
    });
  }
}
