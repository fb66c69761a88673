import { skuOf } from '../../local/run/catalog.ts';
import type { Random } from '../../test/simulation/engine/random.ts';

/** One change of one target, as a partner sends it; `version` is unique and increases per target. */
export interface Change {
  readonly storeClientId: string;
  readonly sku: string;
  readonly version: number;
  readonly detailType: 'stock.changed' | 'price.changed';
  readonly item: StockFields | PriceFields;
}

export interface StockFields {
  readonly stock?: number;
  /** Warehouses with a stock each, or the client IDs of those that get `stock`. */
  readonly warehouses?: readonly { clientId: string; stock: number }[] | readonly string[];
}

export interface PriceFields {
  readonly price: number;
  readonly specialPrice?: number | null;
}

export interface ChangePlan {
  readonly stores: readonly string[];
  readonly targetsPerStore: number;
  readonly events: number;
}

/** Client IDs of the sandbox's warehouses, for the stores whose stock is also changed warehouse by warehouse. */
const warehousesOf: Readonly<Record<string, readonly string[]>> = { 'store-2wh': ['wh-1', 'wh-2'] };

const ZERO_SHARE = 0.15;
const PRICE_SHARE = 0.4;
const OWN_WAREHOUSE_SHARE = 0.5;
const REPEAT_SHARE = 0.2;

/**
 * Changes over many targets, in the order in which they became true. Every value except zero identifies its version, so
 * that the marketplace's history can be checked.
 */
export function planChanges(plan: ChangePlan, random: Random): Change[] {
  const versions = new Map<string, number>();
  return Array.from({ length: plan.events }, () => {
    const storeClientId = random.pick(plan.stores);
    const sku = skuOf(random.integer(1, plan.targetsPerStore));
    const key = `${storeClientId} ${sku}`;
    const version = (versions.get(key) ?? 0) + 1;
    versions.set(key, version);
    const isPrice = random.chance(PRICE_SHARE);
    return {
      storeClientId,
      sku,
      version,
      detailType: isPrice ? 'price.changed' : 'stock.changed',
      item: isPrice ? priceFields(version, random) : stockFields(storeClientId, version, random),
    };
  });
}

/** The changes as they arrive: out of order, some of them twice. */
export function shuffled(changes: readonly Change[], random: Random): Change[] {
  return random.shuffle([...changes, ...changes.filter(() => random.chance(REPEAT_SHARE))]);
}

/** A stock and a price that identify the version, far from those of the catalog. */
export const stockOfVersion = (version: number) => 1000 + version;
export const priceOfVersion = (version: number) => 1_000_000 + version;
export const specialOfVersion = (version: number) => 500_000 + version;

function priceFields(version: number, random: Random): PriceFields {
  const price = priceOfVersion(version);
  if (random.chance(0.5)) return { price };
  return { price, specialPrice: random.chance(0.3) ? null : specialOfVersion(version) };
}

function stockFields(storeClientId: string, version: number, random: Random): StockFields {
  const stock = random.chance(ZERO_SHARE) ? 0 : stockOfVersion(version);
  const warehouses = warehousesOf[storeClientId];
  if (warehouses === undefined || !random.chance(OWN_WAREHOUSE_SHARE)) return { stock };
  const some = random.chance(0.5) ? warehouses : [random.pick(warehouses)];
  if (random.chance(0.5)) return { stock, warehouses: some };
  return { warehouses: some.map((clientId) => ({ clientId, stock })) };
}
