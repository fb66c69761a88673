import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer } from '../answers.ts';
import {
  type CatalogStore,
  type CatalogTarget,
  findTarget,
  type ProductNames,
  placeOf,
  renameProducts,
  stockPlaces,
} from '../catalog.ts';
import type { MarketplaceParts } from '../marketplace.ts';
import { RememberedValues } from './remembered-values.ts';

/** How much older than the truth a read may be, in milliseconds: less than any grace time. */
export const MOST_LAG_MS = 20_000;
/** Shown of a value that was never set. */
const NEVER_SET = 600_000;
/** Share of seeds in which others add and delete products all the time. */
const BUSY_SEEDS = 0.4;
/** Milliseconds between two of them. */
const BUSY_MS = [50, 20_000] as const;
/** Most products of a store that the partner does not know. */
const MOST_OTHERS = 4;

/** The products of the marketplace as its lists show them (§4.11 – 4.13), late and in pages. */
export class LiveCatalog implements MarketplaceParts {
  readonly values: RememberedValues;
  readonly #simulation: Simulation;
  readonly #stores: ReadonlyMap<string, CatalogStore>;
  readonly #removed = new Set<CatalogTarget>();
  readonly #archived = new Set<CatalogTarget>();
  /** Products that the partner does not know, by store: those at the beginning of the list, and those at its end. */
  readonly #others: ReadonlyMap<string, { readonly first: string[]; readonly last: string[] }>;
  /** Whether the list without `isArchived` leaves archived products out. */
  readonly #hidesArchived: boolean;
  /** Whether products move to other pages between two reads. */
  readonly isUnsorted: boolean;
  /** Whether others add and delete products, so that products move to other pages for a while. */
  isBusy = false;

  constructor(simulation: Simulation, stores: readonly CatalogStore[]) {
    this.#simulation = simulation;
    this.#stores = new Map(stores.map((store) => [store.storeClientId, store]));
    this.values = new RememberedValues(simulation);
    const { random } = simulation;
    this.#hidesArchived = random.chance(0.5);
    this.isUnsorted = random.chance(0.3);
    this.#others = new Map(stores.map(({ storeClientId }) => [storeClientId, { first: ['O-0'], last: [] }]));
    for (const { storeClientId, targets } of stores) {
      for (const product of targets) {
        this.values.set(placeOf(storeClientId, product.target, 'specialPrice'), null);
        if (random.chance(0.2)) this.#archived.add(product);
      }
    }
  }

  /** In some seeds, others add and delete products, so that all products move to other pages. */
  startOthers(withinMs: number): void {
    const { random, scheduler, now } = this.#simulation;
    this.isBusy = random.chance(BUSY_SEEDS);
    if (!this.isBusy) return;
    const end = now + withinMs;
    const change = () => {
      if (this.#simulation.now > end) return;
      const { first, last } = random.pick([...this.#others.values()]);
      const isFull = first.length + last.length >= MOST_OTHERS;
      const id = this.#simulation.newId('O');
      const isDeleted = isFull || random.chance(0.5);
      if (isDeleted) random.pick([first, last]).shift();
      // Also one in place of another: the length of the list does not change then.
      if (isFull || !isDeleted) random.pick([first, last]).push(id);
      scheduler.after(random.integer(...BUSY_MS), change);
    };
    scheduler.after(random.integer(...BUSY_MS), change);
  }

  /** Products of a store that the partner does not know. */
  othersOf(storeClientId: string): string[] {
    const { first, last } = this.#others.get(storeClientId) ?? { first: [], last: [] };
    return [...first, ...last];
  }

  readonly isRemoved = (storeClientId: string, target: string): boolean => {
    const product = this.#productOf(storeClientId, target);
    return product !== undefined && this.#removed.has(product);
  };

  /** Whether there is a product with this name, whichever of its names it is. */
  hasProduct(storeClientId: string, target: string): boolean {
    const product = this.#productOf(storeClientId, target);
    return product?.nature === 'ordinary' && !this.#removed.has(product);
  }

  remove(storeClientId: string, target: string): void {
    const product = this.#productOf(storeClientId, target);
    this.#simulation.note('marketplace', () => `${storeClientId} ${target} is removed`);
    if (product !== undefined) this.#removed.add(product);
  }

  /** Changes a value as someone else would. */
  edit(place: string, value: number | null): void {
    this.#simulation.note('marketplace', () => `someone else sets ${place} = ${value}`);
    this.values.set(place, value);
  }

  /** A store names its products otherwise from now on: so do its places. */
  rename(storeClientId: string, names: ProductNames): void {
    const store = this.#stores.get(storeClientId);
    if (store === undefined) return;
    const values = ['price', 'specialPrice', ...stockPlaces(store)];
    const placesOf = () =>
      store.targets.flatMap(({ target }) => values.map((value) => placeOf(storeClientId, target, value)));
    const before = placesOf();
    renameProducts(store, names);
    for (const [index, place] of placesOf().entries()) this.values.move(before[index] ?? '', place);
  }

  /** The targets that have a product. */
  productsOf({ targets }: CatalogStore): CatalogTarget[] {
    return targets.filter((product) => product.nature === 'ordinary' && !this.#removed.has(product));
  }

  readonly readProducts = (store: CatalogStore, { url }: TransportRequest): MarketplaceAnswer | undefined => {
    const { pathname, searchParams } = new URL(url);
    const [, name] = pathname.split('/partner/stores/products');
    if (name === undefined) return undefined;
    const lag = this.#simulation.random.integer(0, MOST_LAG_MS);
    const shown = (target: CatalogTarget) => this.#show(store, target, this.#simulation.now - lag);
    const products = this.productsOf(store);
    if (name !== '') {
      const wanted = decodeURIComponent(name.slice(1).replace(/^sku\//, ''));
      const product = products.map(shown).find(({ id, sku }) => [id, sku].includes(wanted));
      return product ? answer(200, envelope(product)) : fail(404, 'PRD_014');
    }
    const onlyArchived = searchParams.get('isArchived') === 'true';
    const listed = products
      .filter((one) => {
        const isArchived = this.#archived.has(one);
        return onlyArchived ? isArchived : !(this.#hidesArchived && isArchived);
      })
      .map(shown);
    const { first, last } = this.#others.get(store.storeClientId) ?? { first: [], last: [] };
    const other = (id: string) => ({ id: `${store.storeClientId}-${id}`, sku: id });
    const all = onlyArchived ? listed : [...first.map(other), ...listed, ...last.map(other)];
    return this.#page(all, Number(searchParams.get('page')), Number(searchParams.get('limit')));
  };

  #page(sorted: readonly object[], page: number, limit: number): MarketplaceAnswer {
    const begin = this.isUnsorted ? this.#simulation.random.integer(0, sorted.length) : 0;
    const all = [...sorted.slice(begin), ...sorted.slice(0, begin)];
    const totalPages = Math.ceil(all.length / limit);
    const pagination = {
      page,
      limit,
      total: all.length,
      totalPages,
      hasNext: page < totalPages,
      hasPrev: page > 1,
    };
    return answer(200, { ...envelope(all.slice((page - 1) * limit, page * limit)), pagination });
  }

  #show(store: CatalogStore, { target, otherNames }: CatalogTarget, time: number) {
    const names = Object.fromEntries([target, ...otherNames].map((name) => name.split(':')));
    const at = (name: string) => this.values.at(placeOf(store.storeClientId, target, name), time);
    const stocks = stockPlaces(store).map((place) => ({
      clientId: place.slice('stock@'.length),
      stock: at(place) ?? NEVER_SET,
    }));
    const special = at('specialPrice');
    return {
      id: String(names.id),
      sku: String(names.sku),
      externalId: String(names.externalId),
      price: at('price') ?? NEVER_SET,
      ...(special !== undefined && { specialPrice: special }),
      stock: stocks.reduce((sum, { stock }) => sum + stock, 0),
      ...(store.warehouses.length > 0 && { warehouses: stocks }),
    };
  }

  #productOf(storeClientId: string, target: string): CatalogTarget | undefined {
    const store = this.#stores.get(storeClientId);
    return store && findTarget(store, target);
  }
}

function envelope(data: unknown) {
  return { success: true, message: '', requestId: 'r', meta: { timestamp: '' }, data };
}
