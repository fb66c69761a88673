import { type Listing, newestStockVersion } from '../../../../shared/listings/model.ts';
import type { PlannedStore } from '../../world/products/plan.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';

/** A stock file under `full/`. */
interface PutFile {
  readonly key: string;
  readonly store: PlannedStore;
  readonly version: number;
  /** Targets of all its rows, bad ones included. */
  readonly named: ReadonlySet<string>;
  /** Whether a row does not name the listing that it is about: it can't be read, or has another name. */
  readonly isNameless: boolean;
}

interface Followed extends PutFile {
  /** The listings of the store when it was put. */
  readonly known: ReadonlySet<string>;
  readonly zeroed: Set<string>;
  readonly putAt: number;
  isReleased: boolean;
}

/**
 * A stock file under `full/` sets to 0 what no row names and no newer change touches, nothing else, nothing that was created
 * later, and not more than half of the store's listings unless an operator releases it.
 */
export class FullFileChecks {
  readonly #world: ProductWorld;
  readonly #files = new Map<string, Followed>();
  /** When the creations of products were known, by store and target. */
  readonly #created = new Map<string, number>();

  constructor(world: ProductWorld) {
    this.#world = world;
  }

  onPut(file: PutFile): void {
    const known = new Set(this.#targetsOf(file.store));
    const putAt = Math.floor(this.#world.simulation.now);
    this.#files.set(file.key, { ...file, known, zeroed: new Set(), putAt, isReleased: false });
  }

  onCreated({ storeClientId }: PlannedStore, target: string, knownAt: number): void {
    this.#created.set(`${storeClientId} ${target}`, knownAt);
  }

  filesOf(store: PlannedStore): readonly PutFile[] {
    return [...this.#files.values()].filter((file) => file.store === store);
  }

  /** Whether the product was created after the file, and nothing has been said of its stock. */
  #isNew({ store, version, putAt }: Followed, listing: Listing | undefined): boolean {
    if (listing === undefined || newestStockVersion(listing) !== undefined) return false;
    const knownAt = this.#created.get(`${store.storeClientId} ${listing.target}`) ?? 0;
    return knownAt > (store.versionKind === 'time' ? version : putAt);
  }

  isZeroed(key: string, target: string): boolean {
    return this.#files.get(key)?.zeroed.has(target) === true;
  }

  onReleased(key: string): void {
    const file = this.#files.get(key);
    if (file) file.isReleased = true;
  }

  /** Looks at a message to the changes queue. */
  onChange(body: string): void {
    const { id, detail } = JSON.parse(body);
    const [importId = '', kind] = String(id).split('/');
    const record = kind === 'zero' ? this.#world.tables.imports.read(importId)?.value : undefined;
    const file = record && this.#files.get(record.key);
    if (file === undefined) return;
    const { simulation } = this.#world;
    for (const { sku, id: product } of detail.items) {
      const target = sku === undefined ? `id:${product}` : `sku:${sku}`;
      file.zeroed.add(target);
      const listing = this.#world.tables.listings
        .all()
        .find((one) => one.storeClientId === detail.storeClientId && one.target === target);
      if (this.#isNew(file, listing))
        simulation.violate(`P1: ${file.key} sets ${target} to 0, which was created later`);
      if (!file.named.has(target) || (file.isReleased && file.isNameless)) continue;
      simulation.violate(`P1: ${file.key} sets ${target} to 0, which a row of it names`);
    }
    // Listings that were created after the file was compared are not among those that it was held for, or not.
    const ofKnown = [...file.zeroed].filter((target) => file.known.has(target));
    if (!file.isReleased && 2 * ofKnown.length > this.#targetsOf(file.store).length) {
      simulation.violate(`${file.key} sets more than half of the listings to 0 and was not held`);
    }
  }

  /** Once everything has ended. */
  finish(): void {
    const { simulation, tables } = this.#world;
    const records = new Map(tables.imports.all().map((record) => [record.key, record]));
    for (const file of this.#files.values()) {
      const { key, store, version, named, known, zeroed } = file;
      const state = records.get(key)?.full?.state;
      if (state === 'discarded' && zeroed.size > 0)
        simulation.violate(`${key} was discarded, and set stock to 0`);
      if (state === 'discarded') continue;
      if (state !== 'ended') simulation.violate(`P2: ${key} ended in the state ${state}`);
      for (const listing of tables.listings.all()) {
        const { storeClientId, target } = listing;
        if (storeClientId !== store.storeClientId || !known.has(target) || named.has(target)) continue;
        if (this.#isNew(file, listing)) continue;
        if ((newestStockVersion(listing) ?? Number.NEGATIVE_INFINITY) < version) {
          simulation.violate(`P2: ${key} does not name ${target}, which kept older stock`);
        }
      }
    }
  }

  #targetsOf({ storeClientId }: PlannedStore): string[] {
    const listings = this.#world.tables.listings.all();
    return listings.filter((one) => one.storeClientId === storeClientId).map(({ target }) => target);
  }
}
