import type { Random } from '../../engine/random.ts';
import type { GivenUpdate } from './given-commands.ts';
import type { PlannedProduct } from './plan.ts';

/** Price and stock in an update, as its command writes them and as the values that they mean. */
export interface DrawnOffers {
  readonly changes: Readonly<Record<string, unknown>>;
  readonly offers: GivenUpdate['offers'];
}

/** Price and stock in an update, if the store can name their unit: a variant is named by its SKU only. */
export function drawOffers(
  random: Random,
  { shape, skus, store, externalId }: PlannedProduct,
  newValue: () => number,
): DrawnOffers {
  if (random.chance(0.4) || (shape === 'variants' && store.productNames === 'id')) {
    return { offers: [], changes: {} };
  }
  const draw = () => ({
    ...(random.chance(0.7) && { price: newValue() }),
    ...(random.chance(0.7) && { stock: newValue() }),
  });
  if (shape === 'simple') {
    const values = random.chance(0.2) ? drawSpecialPrice(random, newValue) : draw();
    return { offers: [{ unit: externalId, values }], changes: values };
  }
  const items = skus.map((sku) => ({ sku, ...draw() }));
  const offers = items.map(({ sku, ...values }) => ({ unit: sku, values }));
  return { offers, changes: { variants: { items } } };
}

/** A lone special price is combined with the price of the product. */
function drawSpecialPrice(random: Random, newValue: () => number): { specialPrice: number | null } {
  return { specialPrice: random.chance(0.3) ? null : newValue() };
}
