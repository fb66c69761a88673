import { definedOf } from '../../collections/defined-of.ts';
import { AT_A_TIME, forEachConcurrently } from '../../collections/for-each-concurrently.ts';
import { isStorableNumber } from '../../collections/parse-json.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../marketplace/errors.ts';
import type { Product } from '../../marketplace/products.ts';
import type { Clock } from '../../time/clock.ts';
import type { IsoTime } from '../../time/times.ts';
import type { Listing, Live, RegisterName } from '../model.ts';
import type { ListingTable } from '../ports.ts';
import {
  clientIdFault,
  MAX_WAREHOUSES,
  productKeyOf,
  targetFault,
  targetOf,
  targetsOf,
} from '../rules/target.ts';

type RecordedReads = Pick<MarketplaceClient, 'getProduct' | 'getProductBySku' | 'listProducts'>;

export interface RecordingReadsPorts {
  readonly listings: Pick<ListingTable, 'getMany' | 'update'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * A client of the marketplace whose reads of products are recorded: the shown values, and the time of the read, are written into the
 * product's listings. A product without a listing gets none. An earlier read does not replace the values of a later one. A read
 * fails if its values can't be written.
 */
export function recordingReads<Client extends RecordedReads>(
  marketplace: Client,
  { listings, clock }: RecordingReadsPorts,
): Client {
  const now = () => new Date(clock.now()).toISOString();

  const record = async (storeClientId: string, shown: ReadonlyMap<string, Live>): Promise<void> => {
    const known = await listings.getMany(storeClientId, [...shown.keys()]);
    await forEachConcurrently([...known.values()], AT_A_TIME, async (listing) => {
      const live = shown.get(listing.target);
      if (live === undefined) return;
      const see = (current: typeof listing | undefined) => current && withLive(current, live);
      await listings.update(storeClientId, listing.target, see, listing);
    });
  };

  const recordProducts = (storeClientId: string, products: readonly Product[], at: IsoTime) =>
    record(storeClientId, new Map(products.flatMap((product) => [...liveByTarget(product, at)])));

  /** Reads one product and records its values, or that it is missing. */
  const readOne = async <Answer extends { readonly data: Product }>(
    storeClientId: string,
    target: string,
    read: () => Promise<Answer>,
  ): Promise<Answer> => {
    const at = now();
    try {
      const answer = await read();
      await recordProducts(storeClientId, [answer.data], at);
      return answer;
    } catch (error) {
      const isMissing = error instanceof MarketplaceError && error.code === PRODUCT_NOT_FOUND;
      if (isMissing && targetFault(target) === undefined) {
        await record(storeClientId, new Map([[target, { at, values: {}, missing: true }]]));
      }
      throw error;
    }
  };

  return {
    ...marketplace,

    getProduct: (store, request, options) =>
      readOne(store.storeClientId, targetOf({ id: request.productId }), () =>
        marketplace.getProduct(store, request, options),
      ),

    getProductBySku: (store, request, options) =>
      readOne(store.storeClientId, targetOf(request), () =>
        marketplace.getProductBySku(store, request, options),
      ),

    listProducts: async (store, query, options) => {
      const at = now();
      const answer = await marketplace.listProducts(store, query, options);
      await recordProducts(store.storeClientId, answer.data, at);
      return answer;
    },
  };
}

type ShownVariant = NonNullable<NonNullable<Product['variants']>['items']>[number];
type ShownWarehouse = NonNullable<Product['warehouses']>[number];
type ShownOffer = Pick<Product | ShownVariant, 'price' | 'specialPrice' | 'stock' | 'warehouses'>;

/**
 * The values that a product shows (§2), for each of its names and for the SKU of each variant. A product with active variants has
 * no price or stock of its own: what it shows comes from its variants.
 */
export function shownByTarget(product: Product): Map<string, Live['values']> {
  const variants = product.variants?.items ?? [];
  const active = variants.filter(({ isActive }) => isActive !== false);
  const hasVariants = product.hasVariant === true || active.length > 0;
  const own = hasVariants ? {} : valuesOf(product);
  const valuesBySku = (some: typeof variants) =>
    some.flatMap((variant) =>
      targetsOf({ sku: variant.sku }).map((target) => [target, valuesOf(variant)] as const),
    );
  const shown = [
    // Deactivated variants come first, as later entries win: their SKU may now be the SKU of the product (§3) or another variant.
    ...valuesBySku(variants.filter(({ isActive }) => isActive === false)),
    ...targetsOf(product).map((target) => [target, own] as const),
    // A variant may have the SKU of its product. A row with this SKU then means the variant (§4.8).
    ...valuesBySku(active),
  ];
  return new Map(shown.filter(([target]) => targetFault(target) === undefined));
}

/** The result of `shownByTarget`, with the product's ID and the time of the read. */
export function liveByTarget(product: Product, at: IsoTime): Map<string, Live> {
  const shown = [...shownByTarget(product)];
  return new Map(shown.map(([target, values]) => [target, { at, values, productId: product.id }]));
}

/** The listing with the values of a read; `undefined` if the listing has values of a later read. */
export function withLive(listing: Listing, live: Live): Listing | undefined {
  if (listing.live !== undefined && listing.live.at > live.at) return undefined;
  return { ...listing, live, ...definedOf({ productId: productKeyOf(live.productId) }) };
}

/** If a product shows a price and no special price, it has no special price. */
function valuesOf({ price, specialPrice, stock, warehouses }: ShownOffer): Live['values'] {
  return {
    ...(isStorableNumber(price) && {
      price,
      specialPrice: isStorableNumber(specialPrice) ? specialPrice : null,
    }),
    ...(isStorableNumber(stock) && { stock }),
    ...Object.fromEntries((warehouses ?? []).slice(0, MAX_WAREHOUSES).flatMap(stockOf)),
  };
}

function stockOf({ clientId, stock }: ShownWarehouse): [RegisterName, number][] {
  if (!isStorableNumber(stock) || !clientId || clientIdFault(clientId) !== undefined) return [];
  return [[`stock:${clientId}`, stock]];
}
