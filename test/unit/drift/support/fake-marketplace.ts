import type { VerifierPorts } from '../../../../shared/drift/use-cases/verifier.ts';
import { MarketplaceError, PRODUCT_NOT_FOUND } from '../../../../shared/marketplace/errors.ts';

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
  /** Products that the marketplace fails to show alone. */
  const broken = new Set<string>();
  const calls: string[] = [];
  const permits = { left: 0, reserve: () => Promise.reject(new Error('no limiter here')) };
  let work = (): void => {};
  const take = (call: string) => {
    work();
    permits.left -= 1;
    calls.push(call);
  };
  const shown = (product: FakeProduct) => ({ ...product, sku: product.id, externalId: product.id });
  const read = async (name: string, id: string) => {
    take(`${name} ${id}`);
    if (broken.has(id))
      throw new MarketplaceError({ code: 'HTTP_500', message: '', outcome: 'refused', retryable: true });
    const found = products.find((product) => product.id === id && !removed.has(id));
    if (found) return { data: shown(found) } as never;
    const message = 'no such product';
    throw new MarketplaceError({ code: PRODUCT_NOT_FOUND, message, outcome: 'refused', retryable: false });
  };
  const reads: VerifierPorts['marketplace'] = {
    getProduct: (_, { productId }) => read('id', productId),
    getProductBySku: (_, { sku }) => read('sku', sku),
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
  return { reads, permits, calls, unlisted, removed, broken, beforeCall };
}
