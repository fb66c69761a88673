import { aggregateStock, hasVariants, leadingVariant, type Product } from '../state/product.ts';

export interface ListFilter {
  q?: string | undefined;
  isArchived?: boolean | undefined;
  isAvailableStock?: boolean | undefined;
  isVerified?: boolean | undefined;
  isVariantActive?: boolean | undefined;
  sortBy?: string | undefined;
  order?: string | undefined;
}

/** Filters and sorts (§4.11). A false filter or an unknown sorting key has no effect. */
export function selectProducts(products: Product[], filter: ListFilter): Product[] {
  const keyword = filter.q?.toLowerCase();
  const tests: ((product: Product) => boolean)[] = [];
  if (keyword)
    tests.push((product) => searchable(product).some((text) => text.toLowerCase().includes(keyword)));
  if (filter.isArchived) tests.push((product) => product.attributes.isArchived === true);
  if (filter.isAvailableStock) tests.push((product) => aggregateStock(product) > 0);
  if (filter.isVerified) tests.push(() => false);
  if (filter.isVariantActive) tests.push(hasVariants);
  const selected = products.filter((product) => tests.every((test) => test(product)));
  return sorted(selected, filter);
}

function searchable(product: Product): string[] {
  const texts = [product.attributes.name, product.sku, ...product.variants.map(({ sku }) => sku)];
  return texts.filter((text) => text !== undefined);
}

function sorted(products: Product[], { sortBy, order }: ListFilter): Product[] {
  const key = SORT_KEYS.get(sortBy ?? '');
  const ascending = key ? products.toSorted((left, right) => compare(key(left), key(right))) : products;
  return order?.toLowerCase() === 'desc' ? ascending.toReversed() : ascending;
}

const SORT_KEYS = new Map<string, (product: Product) => string | number>([
  ['name', (product) => product.attributes.name ?? ''],
  ['sku', (product) => product.sku ?? ''],
  ['price', (product) => (leadingVariant(product)?.offer ?? product.offer).price],
  ['stock', aggregateStock],
]);

function compare(left: string | number, right: string | number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
