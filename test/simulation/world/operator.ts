import { discardPrices, releasePrices } from '../../../shared/guards/use-cases/lift-hold.ts';
import { resumeStore } from '../../../shared/stores/use-cases/resume-store.ts';
import type { Functions } from './functions.ts';
import type { World } from './world.ts';

/** How often the operator takes up what he sees, while there is trouble; after it he always does. */
const TAKES_UP = 0.1;

/** Who resumes suspended stores, and releases or discards the prices that a guard holds. */
export class Operator {
  readonly #world: World;
  readonly #functions: Functions;

  constructor(world: World, functions: Functions) {
    this.#world = world;
    this.#functions = functions;
  }

  /** Looks around, and takes up some of what he sees. */
  look(): void {
    const { simulation, tables } = this.#world;
    const { faults, random } = simulation;
    for (const store of tables.stores.values()) {
      const { storeClientId, state } = store;
      const isHeld = tables.guards.read(storeClientId)?.value.hold !== undefined;
      if (!faults.stopped && !random.chance(TAKES_UP)) continue;
      if (state === 'suspended') this.#functions.operate((ports) => resumeStore(ports, store));
      if (isHeld && random.chance(0.5)) {
        this.#functions.operate((ports) => releasePrices(ports, storeClientId));
      } else if (isHeld) {
        this.#functions.operate(async (ports) => {
          await discardPrices(ports, storeClientId);
        });
      }
    }
  }
}
