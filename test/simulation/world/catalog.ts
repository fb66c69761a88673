import type { Random } from '../engine/random.ts';

/** How the marketplace handles rows for a target. */
export type Nature =
  /** Accepts them. */
  | 'ordinary'
  /** Does not know the target: INV_001, PRD_016. */
  | 'unknown'
  /** Refuses the whole request that contains it, with a code about rows or the body, or without a code. */
  | 'poison';

export type ProductNames = 'sku' | 'id' | 'externalId';

export interface CatalogTarget {
  /** `sku:…` */
  target: string;
  readonly nature: Nature;
  readonly versionKind: 'time' | 'integer';
  /** The same product by the names that its store does not use. */
  otherNames: readonly [string, string];
}

export interface CatalogStore {
  readonly storeClientId: string;
  readonly storeToken: string;
  /** The identifier of its products. */
  productNames: ProductNames;
  readonly warehouses: readonly string[];
  readonly targets: readonly CatalogTarget[];
}

/** Prices from here on break a rule of the marketplace: their rows are rejected finally. */
export const FIRST_REFUSED_PRICE = 900_000;

/** A warehouse that no store has: a row that names it is rejected. */
export const UNKNOWN_WAREHOUSE = 'wh-none';

/** The stores of one seed: few, with few targets, so that much happens to each. */
export function drawCatalog(random: Random): CatalogStore[] {
  return Array.from({ length: random.integer(1, 3) }, (_, store) => {
    const productNames = random.chance(0.7) ? 'sku' : 'id';
    return {
      storeClientId: `store-${store}`,
      storeToken: `token-${store}`,
      productNames,
      warehouses: Array.from({ length: random.integer(0, 3) }, (__, warehouse) => `wh-${warehouse}`),
      targets: Array.from({ length: random.integer(1, 4) }, (__, target) => {
        const [sku, id] = [`sku:S${store}-${target}`, `id:${idOf(store, target)}`];
        return {
          target: productNames === 'sku' ? sku : id,
          otherNames: [productNames === 'sku' ? id : sku, externalIdOf(store, target)],
          nature: drawNature(random),
          versionKind: random.chance(0.7) ? 'time' : 'integer',
        };
      }),
    };
  });
}

/** A UUID that shows what it identifies. */
function idOf(store: number, target: number): string {
  return `7f9c24e5-2c3a-4f0e-9d6b-1a2b3c4d${store}${target}00`;
}

function externalIdOf(store: number, target: number): string {
  return `externalId:${idOf(store, target).replace('7f9c', 'e9c0')}`;
}

/** One store with one target, so that everything happens to it. */
export function drawSmallCatalog(random: Random): CatalogStore[] {
  return [
    {
      storeClientId: 'store-0',
      storeToken: 'token-0',
      productNames: 'sku',
      warehouses: random.chance(0.3) ? ['wh-0', 'wh-1'] : [],
      targets: [
        {
          target: 'sku:S0-0',
          otherNames: [`id:${idOf(0, 0)}`, externalIdOf(0, 0)],
          nature: 'ordinary',
          versionKind: random.pick(['time', 'integer']),
        },
      ],
    },
  ];
}

/** The product that a row names. */
export function findTarget(store: CatalogStore, name: string): CatalogTarget | undefined {
  // A UUID is the same one in either case.
  const wanted = name.startsWith('sku:') ? name : name.replace(/(?<=:).*/, (uuid) => uuid.toLowerCase());
  return store.targets.find(({ target, otherNames }) => target === wanted || otherNames.includes(wanted));
}

/** Has a store name its products otherwise, in place, since all parts of the world share it. */
export function renameProducts(store: CatalogStore, productNames: ProductNames): void {
  store.productNames = productNames;
  for (const product of store.targets) {
    const all = [product.target, ...product.otherNames];
    const isNew = (name: string) => name.startsWith(`${productNames}:`);
    const [first = '', second = ''] = all.filter((name) => !isNew(name));
    product.target = all.find(isNew) ?? '';
    product.otherNames = [first, second];
  }
}

function drawNature(random: Random): Nature {
  if (random.chance(0.85)) return 'ordinary';
  return random.chance(0.6) ? 'unknown' : 'poison';
}

/** A place for a value at the marketplace: the price, special price, or stock in one warehouse, of one target. */
export function placeOf(storeClientId: string, target: string, value: string): string {
  return `${storeClientId} ${target} ${value}`;
}

/** The stock places of a store; a store without warehouses has one. */
export function stockPlaces({ warehouses }: Pick<CatalogStore, 'warehouses'>): string[] {
  return warehouses.length === 0 ? ['stock@-'] : warehouses.map((clientId) => `stock@${clientId}`);
}
