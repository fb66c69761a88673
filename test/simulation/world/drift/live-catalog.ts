import type { TransportRequest } from '../../../../shared/marketplace/transport.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { answer, fail, type MarketplaceAnswer } from '../answers.ts';
import { type CatalogStore, type CatalogTarget, placeOf, stockPlaces } from '../catalog.ts';
import type { MarketplaceParts } from '../marketplace.ts';

/** How much older than the truth a read may be, in milliseconds: less than any grace time. */
export const MOST_LAG_MS = 20_000;
/** Shown of a value that was never set. */
const NEVER_SET = 600_000;

/** Values by place, with those that they had. */
class RememberedValues extends Map<string, number | null> {
  readonly #simulation: Simulation;
  readonly #before = new Map<string, { until: number; value: number | null | undefined }[]>();

  constructor(simulation: Simulation) {
    super();
    this.#simulation = simulation;
  }

  override set(place: string, value: number | null): this {
    const before = this.#before?.get(place) ?? [];
    this.#before?.set(place, [...before, { until: this.#simulation.now, value: this.get(place) }]);
    return super.set(place, value);
  }

  /** The value at a time, epoch ms. */
  at(place: string, time: number): number | null | undefined {
    const later = this.#before.get(place)?.find(({ until }) => until > time);
    return later === undefined ? this.get(place) : later.value;
  }

  /** The value before the present one. */
  previous(place: string): number | null | undefined {
    return this.#before.get(place)?.at(-1)?.value;
  }
}

/** The products of the marketplace as its lists show them (§4.11 – 4.13), late and in pages. */
export class LiveCatalog implements MarketplaceParts {
  readonly values: RememberedValues;
  readonly #simulation: Simulation;
  readonly #removed = new Set<string>();
  readonly #archived = new Set<string>();
  /** Whether the list without `isArchived` leaves archived products out. */
  readonly #hidesArchived: boolean;
  /** Whether products move to other pages between two reads. */
  readonly isUnsorted: boolean;

  constructor(simulation: Simulation, stores: readonly CatalogStore[]) {
    this.#simulation = simulation;
    this.values = new RememberedValues(simulation);
    const { random } = simulation;
    this.#hidesArchived = random.chance(0.5);
    this.isUnsorted = random.chance(0.3);
    for (const { storeClientId, targets } of stores) {
      for (const { target } of targets) {
        this.values.set(placeOf(storeClientId, target, 'specialPrice'), null);
        if (random.chance(0.2)) this.#archived.add(`${storeClientId} ${target}`);
      }
    }
  }

  readonly isRemoved = (storeClientId: string, target: string): boolean =>
    this.#removed.has(`${storeClientId} ${target}`);

  remove(storeClientId: string, target: string): void {
    this.#simulation.note('marketplace', () => `${storeClientId} ${target} is removed`);
    this.#removed.add(`${storeClientId} ${target}`);
  }

  /** Changes a value as someone else would. */
  edit(place: string, value: number | null): void {
    this.#simulation.note('marketplace', () => `someone else sets ${place} = ${value}`);
    this.values.set(place, value);
  }

  /** The targets that have a product. */
  productsOf({ storeClientId, targets }: CatalogStore): CatalogTarget[] {
    return targets.filter(
      ({ target, nature }) => nature === 'ordinary' && !this.isRemoved(storeClientId, target),
    );
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
    const isArchived = ({ target }: CatalogTarget) => this.#archived.has(`${store.storeClientId} ${target}`);
    const onlyArchived = searchParams.get('isArchived') === 'true';
    const listed = products
      .filter((target) => (onlyArchived ? isArchived(target) : !(this.#hidesArchived && isArchived(target))))
      .map(shown);
    // The partner does not know this one.
    const some = onlyArchived
      ? listed
      : [{ id: `unknown-${store.storeClientId}`, sku: 'UNKNOWN' }, ...listed];
    const first = this.isUnsorted ? this.#simulation.random.integer(0, some.length) : 0;
    const all = [...some.slice(first), ...some.slice(0, first)];
    const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))];
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
  };

  #show(store: CatalogStore, { target, otherName }: CatalogTarget, time: number) {
    const names = Object.fromEntries([target, otherName].map((name) => name.split(':')));
    const at = (name: string) => this.values.at(placeOf(store.storeClientId, target, name), time);
    const stocks = stockPlaces(store).map((place) => ({
      clientId: place.slice('stock@'.length),
      stock: at(place) ?? NEVER_SET,
    }));
    const special = at('specialPrice');
    return {
      id: String(names.id),
      sku: String(names.sku),
      price: at('price') ?? NEVER_SET,
      ...(special !== undefined && { specialPrice: special }),
      stock: stocks.reduce((sum, { stock }) => sum + stock, 0),
      ...(store.warehouses.length > 0 && { warehouses: stocks }),
    };
  }
}

function envelope(data: unknown) {
  return { success: true, message: '', requestId: 'r', meta: { timestamp: '' }, data };
}
