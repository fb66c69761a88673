import { reconcile, type WantedItem } from '../../../../shared/drift/use-cases/reconcile.ts';
import { repairDrift } from '../../../../shared/drift/use-cases/repair-drift.ts';
import { changeNames } from '../../../../shared/store-names/change-names.ts';
import { forConnectedStore } from '../../../../shared/stores/use-cases/for-connected-store.ts';
import { connectStore } from '../../../../shared/stores/use-cases/operate-store.ts';
import { inMemoryDriftTable } from '../../../doubles/in-memory-drift-table.ts';
import type { SimulatedProcess } from '../../engine/simulated-process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { CatalogStore, CatalogTarget, ProductNames } from '../catalog.ts';
import type { Functions } from '../functions.ts';
import { rowNameOf, targetOfRow } from '../sent-rows.ts';
import type { World } from '../world.ts';
import type { Verifier } from './verifier.ts';

/** Share of the stores to which each of these happens. */
const RENAMED_STORES = 0.3;
const DISCONNECTED_STORES = 0.3;
const REFUSED_STORES = 0.2;
/** Most calls of each kind. */
const MOST_CALLS = 4;
/** Milliseconds until a person looks whether a call took effect: longer than a call and the latest effect of its operations. */
const AGAIN_AFTER_MS = 80_000;
/** Milliseconds within which a call ends, as in the operations API. */
const ANSWER_WITHIN_MS = 25_000;
/** Prices and stock of reconciled items: above those of the partner's events, below those of others. */
const FIRST_RECONCILED = 300_000;
/** Integer versions of reconciled items: above those of the partner's events. */
const FIRST_VERSION = 100;

/** A store that was renamed by events in flight by its former SKUs would still get its prices by them. */
const NEXT_NAMES: Readonly<Record<ProductNames, readonly [ProductNames, ...ProductNames[]]>> = {
  sku: ['id'],
  id: ['sku', 'externalId'],
  externalId: ['sku', 'id'],
};

/** Persons who rename, disconnect and connect stores, repair drift, and reconcile what should be live. */
export class Persons {
  readonly #world: World;
  readonly #functions: Functions;
  readonly #verifier: Verifier;
  readonly #simulation: Simulation;
  #open = 0;
  #lastValue = FIRST_RECONCILED;

  constructor(world: World, functions: Functions, verifier: Verifier) {
    this.#world = world;
    this.#functions = functions;
    this.#verifier = verifier;
    this.#simulation = world.simulation;
  }

  /** Whether all that they began has ended. */
  get areDone(): boolean {
    return this.#open === 0;
  }

  plan(withinMs: number): void {
    const { random } = this.#simulation;
    for (const store of this.#world.stores) {
      if (random.chance(RENAMED_STORES)) this.#at(withinMs, () => this.#rename(store));
      if (random.chance(DISCONNECTED_STORES)) this.#at(withinMs, () => this.#disconnect(store, withinMs));
      if (random.chance(REFUSED_STORES)) this.#at(withinMs, () => this.#refuse(store, withinMs));
    }
    const calls = [() => this.repair(), () => this.#reconcile(), () => this.#setRepair()];
    for (const call of calls)
      for (let count = random.integer(0, MOST_CALLS); count > 0; count -= 1) this.#at(withinMs, call);
  }

  /** Drifted values are sent again, contested ones too. */
  repair(storeClientId = this.#simulation.random.pick(this.#world.stores).storeClientId): void {
    this.#call(async (process) => {
      const ports = this.#portsOf(process);
      const drifts = [...(await ports.drift.ofStore(storeClientId)).keys()];
      await repairDrift(ports, storeClientId, drifts);
    });
  }

  #setRepair(): void {
    const { random } = this.#simulation;
    const { storeClientId } = random.pick(this.#world.stores);
    const repair = random.chance(0.7);
    this.#call((process) => this.#portsOf(process).stores.setSettings(storeClientId, { repair }));
  }

  /** One try, unless listings by the former name are left: a store with waiting work keeps its names. */
  #rename(store: CatalogStore): void {
    const { storeClientId } = store;
    const products = this.#simulation.random.pick(NEXT_NAMES[store.productNames]);
    const recordOf = () => this.#world.tables.stores.get(storeClientId);
    const isHalfDone = () =>
      recordOf()?.formerName !== undefined || (recordOf()?.renamingUntil ?? 0) > this.#simulation.now;
    const change = (process: SimulatedProcess) => {
      const ports = this.#portsOf(process);
      const record = recordOf();
      if (record === undefined) return Promise.resolve();
      return changeNames({ ...ports, hasCommands: async () => false }, record, { products });
    };
    this.#until(() => !isHalfDone(), change);
  }

  /** The marketplace refuses the store until its seller connects it again. */
  #disconnect({ storeClientId, storeToken }: CatalogStore, withinMs: number): void {
    const { gate } = this.#world.marketplace;
    const stateOf = () => this.#world.tables.stores.get(storeClientId)?.state;
    gate.blocked.add(storeClientId);
    const at = () => new Date(this.#simulation.now).toISOString();
    this.#until(
      () => stateOf() === 'unbound',
      async (process) => {
        const { stores } = this.#portsOf(process);
        await stores.unbind({ storeClientId, storeToken }, { detailType: 'store.unbound', at: at() });
      },
      () =>
        this.#at(withinMs / 3, () => {
          gate.blocked.delete(storeClientId);
          this.#until(
            () => stateOf() === 'connected',
            (process) => {
              const defaultNames = { products: 'sku', orders: 'orderId' } as const;
              return connectStore({ ...this.#portsOf(process), defaultNames }, { storeClientId, storeToken });
            },
          );
        }),
    );
  }

  /** The marketplace refuses the store for a while. */
  #refuse({ storeClientId }: CatalogStore, withinMs: number): void {
    const { blocked } = this.#world.marketplace.gate;
    blocked.add(storeClientId);
    this.#at(withinMs / 3, () => blocked.delete(storeClientId));
  }

  /** New values of some products are compared with what is live, and sent where they differ. */
  #reconcile(): void {
    const { random } = this.#simulation;
    const store = random.pick(this.#world.stores);
    const { versionKind } = random.pick(store.targets);
    const products = store.targets.filter((one) => one.versionKind === versionKind);
    const items = products.map((product) => this.#itemOf(store, product));
    const version = versionKind === 'integer' ? FIRST_VERSION + this.#lastValue : undefined;
    this.#call(async (process) => {
      const ports = this.#portsOf(process);
      const end = new AbortController();
      process.later(ANSWER_WITHIN_MS, () => end.abort(new Error('out of time')));
      const send = (bodies: readonly string[]) =>
        process.step('changes.send', () => {
          for (const body of bodies) this.#offer(store, body);
        });
      const own = { marketplace: ports.calls, changesQueue: { send } };
      const options = { apply: true, eventId: ports.newId(), now: ports.clock.now(), version };
      await forConnectedStore(ports, store.storeClientId, (record) =>
        reconcile(own, record, items, options, { signal: end.signal }),
      );
    });
  }

  #itemOf({ storeClientId }: CatalogStore, { target }: CatalogTarget): WantedItem {
    const { random } = this.#simulation;
    const isLive = random.chance(0.3);
    const live = this.#world.marketplace.values.get(`${storeClientId} ${target} price`);
    return {
      ...rowNameOf(target),
      ...(random.chance(0.6) && { price: isLive && live ? live : this.#newValue() }),
      ...(random.chance(0.6) && { stock: this.#newValue() }),
    };
  }

  /** The values of an event count once it is queued, unless the store was renamed since they were read: it rejects them. */
  #offer(store: CatalogStore, body: string): void {
    const { items, occurredAt, version } = JSON.parse(body).detail;
    for (const { price, stock, ...name } of items) {
      const target = targetOfRow(name);
      const values = { ...(price !== undefined && { price }), ...(stock !== undefined && { stock }) };
      if (store.targets.some((product) => product.target === target))
        this.#world.newestWins.offer(store, target, version ?? Date.parse(occurredAt), values);
    }
    this.#functions.changes.send(body);
  }

  #newValue(): number {
    this.#lastValue += 1;
    return this.#lastValue;
  }

  #portsOf(process: SimulatedProcess) {
    const { drifts, pages } = this.#verifier;
    return {
      ...this.#world.portsOf(process, this.#functions.wake),
      drift: inMemoryDriftTable(process.step, { drifts, pages }),
    };
  }

  #call(run: (process: SimulatedProcess) => Promise<unknown>): void {
    this.#functions.operate(async (_, process) => {
      await run(process);
    });
  }

  /** Some time within `withinMs`. */
  #at(withinMs: number, act: () => void): void {
    const { random, scheduler } = this.#simulation;
    this.#open += 1;
    scheduler.after(random.integer(0, Math.floor(withinMs)), () => {
      act();
      this.#open -= 1;
    });
  }

  /** Repeats a call until its effect is there. */
  #until(
    isDone: () => boolean,
    run: (process: SimulatedProcess) => Promise<unknown>,
    then = (): void => {},
  ): void {
    this.#open += 1;
    this.#call(run);
    this.#simulation.scheduler.after(AGAIN_AFTER_MS, () => {
      if (isDone()) then();
      else this.#until(isDone, run, then);
      this.#open -= 1;
    });
  }
}
