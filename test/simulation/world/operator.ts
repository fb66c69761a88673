import { discardPrices, releasePrices } from '../../../shared/guards/use-cases/operate-guard.ts';
import { resumeStore } from '../../../shared/stores/use-cases/operate-store.ts';
import { leavesUnderHold } from '../checks/listing-view.ts';
import type { Functions } from './functions.ts';
import type { World } from './world.ts';

/** Probability that the operator acts while there are faults; afterwards the operator always acts. */
const TAKES_UP = 0.1;

/** The operator, who resumes suspended stores and releases or discards held prices. */
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
   * Acts on some of the stores. A patient operator, and every operator once the faults are over, lifts a hold only when
   * everything has been sent that a hold may not keep: a store where that never happens never drains.
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
        this.#functions.operate(async (ports) => {
          await releasePrices(ports, storeClientId);
        });
      } else {
        this.#functions.operate(async (ports) => {
          await discardPrices(ports, storeClientId);
        });
      }
    }
  }

  /** Whether a store still has work to send during its hold. */
  #isLeaving(storeClientId: string): boolean {
    const all = this.#world.tables.listings.all();
    return all.some((listing) => listing.storeClientId === storeClientId && leavesUnderHold(listing));
  }
}
