import type { CallOptions } from '../../marketplace/options.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { RowFault } from '../model.ts';
import type { ListingChangeQueue, ProductCalls } from '../ports.ts';
import type { ListingPart, UpdateParts } from '../rules/split-update.ts';

export interface ChangeListingPorts {
  readonly calls: Pick<ProductCalls, 'getProduct'>;
  readonly changes: ListingChangeQueue;
}

/** Whose update it is, and of which product. */
export interface ListingUpdate {
  readonly productId: string;
  readonly commandId: string;
  /** Epoch ms: the version of the values. */
  readonly time: number;
  readonly store: StoreCredentials;
}

/**
 * Gives what an update says of a product's listing to the changes queue. A special price on its own goes with the price
 * that the product has now, since no row of §4.8 goes without one; in the listing that price gives way to any other.
 *
 * @returns why the listing can not take it.
 * @throws {MarketplaceError} when the product's price can not be read.
 */
export async function changeListing(
  { calls, changes }: ChangeListingPorts,
  { productId, commandId, time, store }: ListingUpdate,
  { listing, specialPrice }: Pick<UpdateParts, 'listing' | 'specialPrice'>,
  options?: CallOptions,
): Promise<RowFault | undefined> {
  const send = ({ prices, stocks }: ListingPart) =>
    changes.send({ storeClientId: store.storeClientId, commandId, occurredAt: time, prices, stocks });
  if (specialPrice === undefined) {
    await send(listing);
    return undefined;
  }
  const { data } = await calls.getProduct(store, { productId }, options);
  if (data.hasVariant) return refuse('a product with variants takes no special price');
  if (typeof data.price !== 'number') return refuse('the marketplace shows no price: give one as well');
  const item = { id: productId, specialPrice, shownPrice: data.price };
  await send({ ...listing, prices: [...listing.prices, item] });
  return undefined;
}

function refuse(reason: string): RowFault {
  return {
    code: 'ROW_INVALID',
    message: `specialPrice: ${reason}`,
    field: 'detail.changes.specialPrice',
  };
}
