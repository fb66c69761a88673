import type { CallOptions } from '../../marketplace/options.ts';
import type { Product as ShownProduct } from '../../marketplace/product.ts';
import type { ProductChanges } from '../../marketplace/product-request.ts';
import type { Store, StoreNames } from '../../stores/model.ts';
import { priceNameOf } from '../../stores/rules/names.ts';
import type { RowFault } from '../model.ts';
import type { ListingChangeQueue, ListingChanges, ProductCalls } from '../ports.ts';
import { itemsOf, type UpdateParts } from '../rules/split-update.ts';

export interface ChangeListingPorts {
  readonly calls: Pick<ProductCalls, 'getProduct'>;
  readonly changes: ListingChangeQueue;
}

/** Whose update it is, and of which product. */
export interface ListingUpdate {
  readonly productId: string;
  readonly commandId: string;
  /** Epoch ms: the version of the values, unless the command has one of its own. */
  readonly time: number;
  readonly version?: number | undefined;
  readonly changes: Pick<ProductChanges, 'sku'>;
  readonly store: Store;
}

/**
 * Gives what an update says of a product's listings to the changes queue. Where the store does not name its products by
 * ID, the product is read for its name there; where the update sets its SKU, that is the one. A special price on its own
 * goes with the price that the product has now, since no row of §4.8 goes without one; in the listing that price gives way
 * to any other.
 *
 * @returns why the listing can not take it.
 * @throws {MarketplaceError} when the product can not be read.
 */
export async function changeListing(
  { calls, changes }: ChangeListingPorts,
  { productId, commandId, time, version, changes: { sku }, store }: ListingUpdate,
  { own, variants, isReadNeeded }: UpdateParts,
  options?: CallOptions,
): Promise<RowFault | undefined> {
  const { storeClientId, names } = store;
  const send = (part: Pick<ListingChanges, 'prices' | 'stocks'>) =>
    changes.send({
      ...{ storeClientId, commandId, occurredAt: time, ...(version !== undefined && { version }) },
      prices: [...part.prices, ...variants.prices],
      stocks: [...part.stocks, ...variants.stocks],
    });
  if (!isReadNeeded) {
    await send(itemsOf(own, { price: { id: productId }, stock: { id: productId } }));
    return undefined;
  }
  const { data } = await calls.getProduct(store, { productId }, options);
  const shown = { ...data, id: productId, ...(sku !== undefined && { sku }) };
  const fault = faultOf(own, shown, names);
  if (fault !== undefined) return fault;
  const [price, stock] = [nameOf(shown, priceNameOf(names)), nameOf(shown, names.products)];
  const part = itemsOf(own, { price, stock });
  const isSpecialAlone = own.price === undefined && own.specialPrice !== undefined;
  const special = { ...price, specialPrice: own.specialPrice, shownPrice: data.price };
  await send(isSpecialAlone ? { ...part, prices: [special] } : part);
  return undefined;
}

/** Why the values of a product can have no listing. */
function faultOf(
  { price, specialPrice, stock, warehouses }: UpdateParts['own'],
  shown: ShownProduct,
  names: StoreNames,
): RowFault | undefined {
  const isSpecialAlone = price === undefined && specialPrice !== undefined;
  if (isSpecialAlone && shown.hasVariant) {
    return refuse('specialPrice', 'a product with variants takes no special price');
  }
  if (isSpecialAlone && typeof shown.price !== 'number') {
    return refuse('specialPrice', 'the marketplace shows no price: give one as well');
  }
  const hasPrice = price !== undefined || specialPrice !== undefined;
  const hasStock = stock !== undefined || warehouses !== undefined;
  const needed = [...(hasPrice ? [priceNameOf(names)] : []), ...(hasStock ? [names.products] : [])];
  const missing = needed.find((name) => Object.keys(nameOf(shown, name)).length === 0);
  if (missing === undefined) return undefined;
  const field = hasPrice && missing === priceNameOf(names) ? 'price' : 'stock';
  return refuse(field, `the product shows no ${missing}, by which the store names it`);
}

function nameOf(shown: ShownProduct, name: StoreNames['products']): Record<string, string> {
  const value = shown[name];
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}

function refuse(field: string, reason: string): RowFault {
  return { code: 'ROW_INVALID', message: `${field}: ${reason}`, field: `detail.changes.${field}` };
}
