import { type Listing, registerEntries } from '../../../../shared/listings/model.ts';
import { placeOf, stockPlaces } from '../../world/catalog.ts';
import type { PlannedStore } from '../../world/products/plan.ts';
import type { ProductWorld } from '../../world/products/product-world.ts';

/** The live values of a listing did exist at the marketplace, for its own target. */
export function checkLiveValues({ simulation, tables, shelf, plan }: ProductWorld): void {
  for (const { storeClientId, target, live } of tables.listings.all()) {
    const store = plan.stores.find((one) => one.storeClientId === storeClientId);
    const unit = store && unitOf({ plan, shelf }, store, target);
    if (store === undefined || unit === undefined) continue;
    for (const [name, value] of registerEntries<number | null>(live?.values ?? {})) {
      const place = placeOf(
        storeClientId,
        unit,
        name === 'stock' ? (stockPlaces(store)[0] ?? '') : name.replace(':', '@'),
      );
      const isNone = name === 'specialPrice' && value === null;
      if (isNone || shelf.history.get(place)?.has(value)) continue;
      simulation.violate(
        `${storeClientId} ${target} was seen with ${name} ${value}, which never stood at ${place}`,
      );
    }
  }
}

/** The unit with the price and stock of a target: a simple product by its externalId, or a variant by its SKU. */
function unitOf(
  { plan, shelf }: Pick<ProductWorld, 'plan' | 'shelf'>,
  store: PlannedStore,
  target: Listing['target'],
): string | undefined {
  const name = target.slice(target.indexOf(':') + 1);
  // A product that was deleted since is not found.
  if (target.startsWith('id:')) return shelf.get(name)?.externalId;
  const product = plan.products.find((one) => one.store === store && one.skus.includes(name));
  return product?.shape === 'variants' ? name : product?.externalId;
}
