import type { FollowedRowChecks } from '../../checks/products/followed-rows.ts';
import type { FullFileChecks } from '../../checks/products/full-files.ts';
import type { PlannedProduct, PlannedStore } from './plan.ts';
import type { ProductFunctions } from './product-functions.ts';
import { announcementOf } from './product-partner.ts';
import type { ProductWorld } from './product-world.ts';

/** Milliseconds between the claimed times of two changes: some have the same. */
const TIME_GRAIN_MS = 2_000;
const OLDEST_GRAINS = 5;

/** A listing of a store: how rows name it, and the unit at the marketplace. */
interface Unit {
  readonly name: { readonly sku: string } | { readonly id: string };
  readonly unit: string;
}

/** The partner's systems: they send stock by events and by files. Some files name all that there is. */
export class StockFilePartner {
  /** Events and files that were sent, without their repeats. */
  eventCount = 0;
  readonly #world: ProductWorld;
  readonly #functions: ProductFunctions;
  readonly #checks: FullFileChecks;
  readonly #followed: FollowedRowChecks;
  #lastValue = 0;

  constructor(
    world: ProductWorld,
    functions: ProductFunctions,
    { full, followed }: { readonly full: FullFileChecks; readonly followed: FollowedRowChecks },
  ) {
    this.#world = world;
    this.#functions = functions;
    this.#checks = full;
    this.#followed = followed;
  }

  start(spanMs: number): void {
    const { simulation, plan } = this.#world;
    const { random, scheduler } = simulation;
    for (const product of plan.products) this.#create(product);
    const at = (times: number, act: (store: PlannedStore) => void) => {
      for (let index = 0; index < times; index += 1)
        scheduler.after(random.integer(0, spanMs), () => act(random.pick(plan.stores)));
    };
    at(random.integer(5, 30), (store) => this.#change(store));
    at(random.integer(1, 6), (store) => this.#putFile(store));
    at(random.integer(0, 2), (store) => this.#putEmptyFile(store));
    at(random.integer(0, 2), (store) => this.#createLater(store));
  }

  /** A product is created, and its creation is known at once. Nothing is said of its stock yet. */
  #createLater(store: PlannedStore): void {
    if (store.productNames !== 'sku') return;
    const { simulation, shelf, newestWins } = this.#world;
    const sku = simulation.newId('created');
    const offer = { price: 1, stock: this.#newStock() };
    newestWins.offer(store, sku, Number.NEGATIVE_INFINITY, offer);
    shelf.create(store, { externalId: sku, name: 'created later', sku, ...offer });
    const knownAt = Math.floor(simulation.now);
    this.#checks.onCreated(store, `sku:${sku}`, knownAt);
    for (const { key, version } of this.#checks.filesOf(store))
      this.#offerZero(key, store, version, { name: { sku }, unit: sku });
    const detail = { storeClientId: store.storeClientId, products: [{ sku }], knownAt };
    const event = { id: `created/${knownAt}`, 'detail-type': 'products.created', detail };
    this.#functions.listings.changes.send(JSON.stringify(event));
  }

  /** The product exists from the start; its values are the oldest. */
  #create({ store, externalId, shape, skus, price, stock, nature }: PlannedProduct): void {
    if (nature === 'taken') return;
    const items = skus.map((sku) => ({ sku, price, stock }));
    const row = { externalId, name: 'there before' };
    const { shelf } = this.#world;
    if (shape === 'variants') shelf.create(store, { ...row, variants: { items } });
    else shelf.create(store, { ...row, price, stock, ...(skus[0] !== undefined && { sku: skus[0] }) });
  }

  #unitsOf(store: PlannedStore): Unit[] {
    return this.#world.shelf.all().flatMap((product): Unit[] => {
      if (product.store !== store) return [];
      if (store.productNames === 'id') {
        return product.hasVariants ? [] : [{ name: { id: product.id }, unit: product.externalId }];
      }
      return product.skus.map((sku) => ({
        name: { sku },
        unit: product.hasVariants ? sku : product.externalId,
      }));
    });
  }

  #change(store: PlannedStore): void {
    const { simulation, newestWins } = this.#world;
    const units = this.#unitsOf(store);
    if (units.length === 0) return;
    const { name, unit } = simulation.random.pick(units);
    const version = this.#drawVersion(store);
    const stock = this.#newStock();
    newestWins.offer(store, unit, version, { stock });
    this.eventCount += 1;
    const detail = {
      storeClientId: store.storeClientId,
      ...fieldsOf(store, version),
      items: [{ ...name, stock }],
    };
    const event = { id: simulation.newId('event'), 'detail-type': 'stock.changed', detail };
    this.#functions.listings.changes.send(JSON.stringify(event));
  }

  #putFile(store: PlannedStore): void {
    const { simulation } = this.#world;
    const { random } = simulation;
    const isFull = random.chance(0.7);
    const folder = isFull ? 'full/' : '';
    const key = `stock/${store.storeClientId}/${folder}${simulation.newId('file')}.ndjson`;
    const isVersionLeftOut = store.versionKind === 'time' && random.chance(0.5);
    const version = isVersionLeftOut ? Math.floor(simulation.now) : this.#drawVersion(store);
    const share = random.pick([0.3, 0.8, 1]);
    const units = random.shuffle(this.#unitsOf(store).filter(() => random.chance(share)));
    if (units.length === 0) return;
    const named = new Set<string>();
    let isNameless = false;
    const lines = units.map((unit, index) => {
      named.add(targetOf(unit));
      // The first row says which version the file has.
      const fault =
        index > 0 && random.chance(0.15)
          ? random.pick(['broken', 'misnamed', 'negative', 'older'] as const)
          : undefined;
      isNameless ||= fault === 'broken' || fault === 'misnamed';
      if (fault === 'broken') return '{oops';
      if (fault === 'misnamed') return JSON.stringify({ ...otherNameOf(unit), stock: 'unreadable' });
      const own = isVersionLeftOut ? {} : fieldsOf(store, version);
      if (fault === 'negative') {
        const { negativeStock } = this.#world.tables.stores.get(store.storeClientId) ?? {};
        if (negativeStock === 'zero') this.#world.newestWins.offer(store, unit.unit, version, { stock: 0 });
        return JSON.stringify({ ...unit.name, stock: -1, ...own });
      }
      const stock = this.#newStock();
      if (fault === 'older' && isFull) {
        return JSON.stringify({ ...unit.name, stock, ...fieldsOf(store, version - 1) });
      }
      this.#world.newestWins.offer(store, unit.unit, version, { stock });
      return JSON.stringify({ ...unit.name, stock, ...own });
    });
    if (!isFull && store.productNames === 'sku' && random.chance(0.5)) {
      const sku = simulation.newId('unknown');
      lines.push(JSON.stringify({ sku, stock: 1, ...(isVersionLeftOut ? {} : fieldsOf(store, version)) }));
      this.#followed.onUnknown({ key, sku, version });
    }
    this.eventCount += 1;
    if (isFull) {
      this.#checks.onPut({ key, store, version, named, isNameless });
      for (const unit of this.#unitsOf(store)) this.#offerZero(key, store, version, unit);
    }
    this.#put(key, lines.join('\n'));
  }

  #offerZero(key: string, store: PlannedStore, version: number, unit: Unit): void {
    const isVoid = () => !this.#checks.isZeroed(key, targetOf(unit));
    this.#world.newestWins.offer(store, unit.unit, version, { stock: 0 }, isVoid);
  }

  #putEmptyFile({ storeClientId }: PlannedStore): void {
    this.eventCount += 1;
    this.#put(`stock/${storeClientId}/${this.#world.simulation.newId('file')}.ndjson`, '');
  }

  #put(key: string, content: string): void {
    const { simulation, tables } = this.#world;
    tables.files.set(key, content);
    const body = JSON.stringify(announcementOf(key, simulation.now));
    this.#functions.imports.send(body);
    if (simulation.faults.strikes('message delivered twice')) this.#functions.imports.send(body);
  }

  #drawVersion({ versionKind }: PlannedStore): number {
    const { random, now } = this.#world.simulation;
    const grains = Math.floor(now / TIME_GRAIN_MS) - random.integer(0, OLDEST_GRAINS);
    return versionKind === 'time' ? grains * TIME_GRAIN_MS : grains;
  }

  /** A unique stock above 0, so that it identifies its origin at the marketplace. */
  #newStock(): number {
    this.#lastValue += 1;
    return this.#lastValue;
  }
}

function fieldsOf({ versionKind }: PlannedStore, version: number): object {
  return versionKind === 'time' ? { occurredAt: version } : { version };
}

/** A name that no product has, as a spreadsheet makes one. */
function otherNameOf({ name }: Unit): Unit['name'] {
  return 'sku' in name ? { sku: `0${name.sku}` } : { id: '00000000-0000-4000-8000-000000000000' };
}

function targetOf({ name }: Unit): string {
  return 'sku' in name ? `sku:${name.sku}` : `id:${name.id}`;
}
