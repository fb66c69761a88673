import { discardPrices, releasePrices } from '../../../shared/guards/use-cases/operate-guard.ts';
import { resumeStore } from '../../../shared/stores/use-cases/operate-store.ts';
import { leavesUnderHold } from '../checks/listing-view.ts';
import type { Functions } from './functions.ts';
import type { World } from './world.ts';

/** How often the operator takes up what he sees, while there is trouble; after it he always does. */
const TAKES_UP = 0.1;

/** Who resumes suspended stores, and releases or discards the prices that a guard holds. */
export class Operator {
  readonly #world: World;
  readonly #functions: Functions;
  readonly #isPatient: boolean;

  constructor(world: World, functions: Functions) {
    this.#world = world;
    this.#functions = functions;
    this.#isPatient = world.simulation.random.chance(0.5);
  }

  /**
   * Looks around, and takes up some of what he sees. Where he is patient, and always once trouble is over, he lifts a
   * hold only when all has left that no hold may keep: where that never does, the store never drains.
   */
  look(): void {
    const { simulation, tables } = this.#world;
    const { faults, random } = simulation;
    for (const store of tables.stores.values()) {
      const { storeClientId, state } = store;
      if (!faults.stopped && !random.chance(TAKES_UP)) continue;
      if (state === 'suspended') this.#functions.operate((ports) => resumeStore(ports, store));
      const isHeld = tables.guards.read(storeClientId)?.value.hold !== undefined;
      if (!isHeld || ((this.#isPatient || faults.stopped) && this.#isLeaving(storeClientId))) continue;
      if (random.chance(0.5)) {
        this.#functions.operate((ports) => releasePrices(ports, storeClientId));
      } else {
        this.#functions.operate(async (ports) => {
          await discardPrices(ports, storeClientId);
        });
      }
    }
  }

  /** Whether something of a store is yet to leave under its hold. */
  #isLeaving(storeClientId: string): boolean {
    const all = this.#world.tables.listings.all();
    return all.some((listing) => listing.storeClientId === storeClientId && leavesUnderHold(listing));
  }
}
