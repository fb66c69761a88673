import type { Product } from '../../marketplace/products.ts';
import {
  type Listing,
  type Live,
  type LiveValues,
  type RegisterName,
  type Registers,
  registerEntries,
  warehouseOf,
} from '../model.ts';
import { clientIdFault, isKeepable, MAX_WAREHOUSES, targetFault } from './room.ts';
import { type TargetNames, targetOf } from './target.ts';

type ShownVariant = NonNullable<NonNullable<Product['variants']>['items']>[number];
type ShownWarehouse = NonNullable<Product['warehouses']>[number];
type ShownOffer = Pick<Product | ShownVariant, 'price' | 'specialPrice' | 'stock' | 'warehouses'>;

/**
 * What a product shows (§2) of each target that it is known by: of its own names, and of the SKUs of its variants. A
 * product with variants has no price and no stock of its own: what it shows of them belongs to its variants.
 */
export function shownByTarget(product: Product): Map<string, LiveValues> {
  const variants = product.variants?.items ?? [];
  const ofVariants = variants.flatMap(({ sku, ...variant }) => namesOf({ sku }, valuesOf(variant)));
  const hasVariants = product.hasVariant === true || variants.length > 0;
  const own = hasVariants ? {} : valuesOf(product);
  const { sku, id, externalId } = product;
  return new Map([
    ...[{ sku }, { id }, { externalId }].flatMap((name) => namesOf(name, own)),
    // A variant may have the SKU of its product: a row by SKU is the variant's then (§4.8).
    ...ofVariants,
  ]);
}

/** The listing with what was seen of it; `undefined` where a later read has shown it since. */
export function withLive(listing: Listing, live: Live): Listing | undefined {
  if (listing.live !== undefined && listing.live.at > live.at) return undefined;
  return { ...listing, live };
}

/** The value last seen of a register; `undefined` where none was shown. */
export function liveValueOf({ desired, live }: Listing, name: RegisterName): number | null | undefined {
  if (live === undefined) return undefined;
  return name === 'stock' ? globalStock(desired, live.values) : live.values[name];
}

/**
 * Where warehouses are shown, a listing's global stock is that of the warehouses that have no register of their own;
 * there is no such value where these differ, or where there are none.
 */
function globalStock(desired: Registers, values: LiveValues): number | null | undefined {
  const warehouses = registerEntries(values).filter(([name]) => warehouseOf(name) !== undefined);
  if (warehouses.length === 0) return values.stock;
  const inherited = new Set(
    warehouses.flatMap(([name, value]) => (desired[name] === undefined ? [value] : [])),
  );
  return inherited.size === 1 ? [...inherited][0] : undefined;
}

function namesOf(
  name: { readonly [Field in keyof TargetNames]: TargetNames[Field] | null },
  values: LiveValues,
): [string, LiveValues][] {
  const [text] = Object.values(name);
  if (typeof text !== 'string' || text === '') return [];
  const target = targetOf(name as TargetNames);
  return targetFault(target) === undefined ? [[target, values]] : [];
}

/** A price that is shown without a special price has none. */
function valuesOf({ price, specialPrice, stock, warehouses }: ShownOffer): LiveValues {
  return {
    ...(isKeepable(price) ? { price, specialPrice: isKeepable(specialPrice) ? specialPrice : null } : {}),
    ...(isKeepable(stock) ? { stock } : {}),
    ...Object.fromEntries((warehouses ?? []).slice(0, MAX_WAREHOUSES).flatMap(stockOf)),
  };
}

function stockOf({ clientId, stock }: ShownWarehouse): [RegisterName, number][] {
  return isKeepable(stock) && clientIdFault(clientId) === undefined ? [[`stock:${clientId}`, stock]] : [];
}
