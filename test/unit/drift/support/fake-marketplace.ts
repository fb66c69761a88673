import type { VerifierPorts } from '../../../../shared/drift/use-cases/verifier.ts';

/** A product with this ID as its SKU and its `externalId`, too. */
export interface FakeProduct {
  readonly id: string;
  readonly price: number;
}

const PAGE_SIZE = 2;

/** A marketplace whose list of archived products is empty. Each call takes a permit and is noted. */
export function fakeMarketplace(products: readonly FakeProduct[]) {
  /** Products that the list leaves out. */
  const unlisted = new Set<string>();
  const removed = new Set<string>();
  const calls: string[] = [];
  const permits = { left: 0, reserve: () => Promise.reject(new Error('no limiter here')) };
  let work = (): void => {};
  const take = (call: string) => {
    work();
    permits.left -= 1;
    calls.push(call);
  };
  const shown = (product: FakeProduct) => ({ ...product, sku: product.id, externalId: product.id });
  const reads: VerifierPorts['marketplace'] = {
    listProducts: async (_, { isArchived = false, page = 1 } = {}) => {
      take(`${isArchived ? 'archived' : 'listed'} ${page}`);
      const all = isArchived ? [] : products.filter(({ id }) => !unlisted.has(id) && !removed.has(id));
      const data = all.slice(PAGE_SIZE * (page - 1), PAGE_SIZE * page).map(shown);
      return { data, pagination: { total: all.length, hasNext: PAGE_SIZE * page < all.length } } as never;
    },
  };
  /** Something that happens at the beginning of each call. */
  const beforeCall = (next: () => void): void => {
    work = next;
  };
  return { reads, permits, calls, unlisted, removed, beforeCall };
}
