import type { Listing } from '../listings/model.ts';
import type { ListingTable } from '../listings/ports.ts';
import { fieldsOfTarget, targetOf } from '../listings/rules/target.ts';

/** Most names of a product and its variants. */
export const MOST_NAMES = 20;

/** The names of a product, and their listings. Given the product's ID, also the names of its variants. */
export async function namesOfProduct(
  listings: Pick<ListingTable, 'getMany' | 'ofProduct'>,
  storeClientId: string,
  target: string,
): Promise<{ targets: string[]; listings: Listing[] }> {
  const given = fieldsOfTarget(target);
  const ofProduct = 'id' in given ? await listings.ofProduct(given.id) : [];
  const first = [
    ...(await listings.getMany(storeClientId, [target])).values(),
    ...ofProduct.filter((one) => one.storeClientId === storeClientId),
  ];
  const further = first.flatMap(({ sameAs = [], productId }) => [
    ...sameAs,
    ...(productId === undefined ? [] : [targetOf({ id: productId })]),
  ]);
  const targets = [...new Set([target, ...first.map((one) => one.target), ...further])].slice(0, MOST_NAMES);
  const all = await listings.getMany(storeClientId, targets);
  return { targets, listings: targets.flatMap((name) => all.get(name) ?? []) };
}
