import type { Random } from '../../engine/random.ts';

/** The outcome of a product in a command. */
export type Nature =
  /** The marketplace creates it. */
  | 'ordinary'
  /** It exists already: PRD_002. */
  | 'taken'
  /** The marketplace refuses its row. */
  | 'refused'
  /** The marketplace refuses every request that contains it: VAL_001. */
  | 'poison'
  /** It also has stock in a warehouse that its store has only at times. */
  | 'passing'
  /** It breaks a rule that the connector knows. */
  | 'broken';

/** Products of these natures are sometimes rejected without a batch. */
export const FAULTY_NATURES: ReadonlySet<Nature> = new Set(['poison', 'passing', 'broken']);

/** The clientId of a temporary warehouse. */
export const PASSING_WAREHOUSE = 'wh-passing';

export interface PlannedStore {
  readonly storeClientId: string;
  readonly storeToken: string;
  /** The identifier of its products. */
  readonly productNames: 'sku' | 'id';
  /** The kind of version of its prices and stocks. */
  readonly versionKind: 'time' | 'integer';
  readonly warehouses: readonly string[];
  /** Whether its products have stock in a temporary warehouse. */
  readonly movesStock: boolean;
}

/** A product that the partner has in its own system. */
export interface PlannedProduct {
  readonly store: PlannedStore;
  readonly externalId: string;
  readonly shape: 'simple' | 'variants';
  /** SKUs of the product or its variants; a simple product may have none if its store names products by ID. */
  readonly skus: readonly string[];
  readonly nature: Nature;
  readonly price: number;
  readonly stock: number;
}

export interface Plan {
  readonly stores: readonly PlannedStore[];
  readonly products: readonly PlannedProduct[];
}

/** The stores and products of one seed: few, so that much happens to each. */
export function drawPlan(random: Random): Plan {
  const stores = Array.from({ length: random.integer(1, 2) }, (_, index) => ({
    storeClientId: `store-${index}`,
    storeToken: `token-${index}`,
    productNames: random.pick(['sku', 'sku', 'id'] as const),
    versionKind: random.pick(['time', 'time', 'integer'] as const),
    warehouses: Array.from({ length: random.integer(0, 2) }, (__, warehouse) => `wh-${warehouse}`),
    movesStock: random.chance(0.3),
  }));
  const products = stores.flatMap((store, storeIndex) =>
    Array.from({ length: random.integer(2, 7) }, (_, index) =>
      drawProduct(random, store, 100 * (storeIndex + 1) + index),
    ),
  );
  return { stores, products };
}

const RENAMED_FIRST = 2;
const RENAMED_LATER = 4;

/** One store by SKU with simple products: the first exist from the start, the others have no SKU yet. */
export function drawRenamingPlan(random: Random): Plan {
  const store: PlannedStore = {
    storeClientId: 'store-0',
    storeToken: 'token-0',
    productNames: 'sku',
    versionKind: random.pick(['time', 'integer'] as const),
    warehouses: Array.from({ length: random.integer(0, 2) }, (_, warehouse) => `wh-${warehouse}`),
    movesStock: false,
  };
  const products = Array.from({ length: RENAMED_FIRST + RENAMED_LATER }, (_, index): PlannedProduct => {
    const number = 100 + index;
    const skus = index < RENAMED_FIRST ? [`SKU-${index}`] : [];
    const values = { price: 10_000 + number, stock: 20_000 + number };
    return { store, externalId: guid('e', number), shape: 'simple', skus, nature: 'ordinary', ...values };
  });
  return { stores: [store], products };
}

function drawProduct(random: Random, store: PlannedStore, number: number): PlannedProduct {
  const shape = random.chance(0.7) ? 'simple' : 'variants';
  const hasSku = shape === 'variants' || store.productNames === 'sku' || random.chance(0.7);
  const skus = Array.from({ length: shape === 'variants' ? random.integer(1, 3) : 1 }, (_, index) =>
    shape === 'variants' ? `SKU-${number}-${index}` : `SKU-${number}`,
  );
  return {
    store,
    externalId: guid('e', number),
    shape,
    skus: hasSku ? skus : [],
    nature: drawNature(random, store),
    price: 10_000 + number,
    stock: 20_000 + number,
  };
}

function drawNature(random: Random, { warehouses, movesStock }: PlannedStore): Nature {
  if (movesStock && warehouses.length > 0 && random.chance(0.4)) return 'passing';
  if (random.chance(0.7)) return 'ordinary';
  return random.pick(['taken', 'refused', 'refused', 'poison', 'broken', 'broken'] as const);
}

/** A UUID that shows what it identifies: one digit and a number. */
export function guid(digit: string, number: number): string {
  return `${digit.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** The product as a row of a command; `tag` identifies the row at the marketplace. */
export function rowOf(random: Random, product: PlannedProduct, tag: string): unknown {
  const { nature, externalId, shape, skus, price } = product;
  if (nature === 'broken')
    return breakRow(random, { externalId, name: tag, price, ...stockOf(random, product) });
  const [sku] = skus;
  if (shape === 'simple') {
    return { externalId, name: tag, price, ...(sku !== undefined && { sku }), ...stockOf(random, product) };
  }
  const values = skus.map((label) => ({ label }));
  const items = skus.map((own, index) => ({
    sku: own,
    price,
    optionIndexes: [index],
    ...stockOf(random, product),
  }));
  return { externalId, name: tag, variants: { items, optionGroups: [{ level: 1, name: 'kind', values }] } };
}

function stockOf(random: Random, { store: { warehouses }, stock, nature }: PlannedProduct): object {
  const isPassing = nature === 'passing';
  if (!isPassing && (warehouses.length === 0 || random.chance(0.5))) return { stock };
  const named = isPassing ? [...warehouses, PASSING_WAREHOUSE] : warehouses;
  return { warehouses: named.map((clientId) => ({ clientId, stock })) };
}

function breakRow(random: Random, row: { externalId: string; name: string; price: number }): unknown {
  return random.pick([
    { ...row, externalId: 'no-uuid' },
    { ...row, price: -1 },
    { ...row, stock: 1, warehouses: [{ clientId: 'wh-0', stock: 1 }] },
    { ...row, weight: 'heavy' },
    'no object',
  ]);
}
