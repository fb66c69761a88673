import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import type { SimpleProduct, VariantProduct } from '../../../../shared/marketplace/product-request.ts';
import type { Product } from '../../../../shared/marketplace/products.ts';
import type { StoreCredentials } from '../../../../shared/marketplace/request.ts';
import type { Target } from './target.ts';

/** A SKU that no other test uses. */
export function newSku(): string {
  return `sku-${randomUUID()}`;
}

export function simpleProduct(overrides: Partial<SimpleProduct> = {}): SimpleProduct {
  return {
    externalId: randomUUID(),
    name: 'Running shoe',
    description: 'Light and fast',
    sku: newSku(),
    price: 250_000,
    weight: 800,
    dimensions: { length: 30, width: 20, height: 12 },
    minOrder: 1,
    categoryId: randomUUID(),
    subCategoryId: randomUUID(),
    typeId: randomUUID(),
    hashtags: ['shoe'],
    condition: 'NEW',
    photos: ['https://images.example/shoe.jpg'],
    isPreorder: false,
    preorderPeriod: 0,
    isArchived: false,
    insuranceRequired: false,
    codEnabled: true,
    ...overrides,
  };
}

type VariantItem = VariantProduct['variants']['items'][number];

export function variantItem(index: number, overrides: Partial<VariantItem> = {}): VariantItem {
  return {
    price: 250_000 + index,
    sku: newSku(),
    isDefault: index === 0,
    status: 'ACTIVE',
    weight: 800,
    photos: [],
    optionIndexes: [index],
    sortOrder: index,
    ...overrides,
  };
}

/** A product with one option group of three colours, by default with the first two as variants. */
export function variantProduct(items: VariantItem[] = [variantItem(0), variantItem(1)]): VariantProduct {
  const { sku: _, price: __, ...common } = simpleProduct();
  const values = [{ label: 'Red' }, { label: 'Blue' }, { label: 'Green' }];
  return { ...common, variants: { items, optionGroups: [{ level: 1, name: 'Colour', values }] } };
}

/** Reads the product by its SKU until it is as expected: ASYNC operations take effect later. */
export async function eventually(
  { client }: Target,
  store: StoreCredentials,
  sku: string,
  isAsExpected: (product: Product) => boolean = () => true,
): Promise<Product> {
  const read = () =>
    client.getProductBySku(store, { sku }).then(
      ({ data }) => data,
      (error: unknown) => {
        if (error instanceof MarketplaceError && error.code === 'PRD_014') return undefined;
        throw error;
      },
    );
  let product: Product | undefined;
  await expect
    .poll(
      async () => {
        product = await read();
        return product !== undefined && isAsExpected(product);
      },
      { timeout: 10_000, interval: 20 },
    )
    .toBe(true);
  if (product === undefined) throw new Error(`no product with SKU ${sku}`);
  return product;
}

/** Creates a simple product and waits for it. */
export async function given(target: Target, store: StoreCredentials, overrides: Partial<SimpleProduct> = {}) {
  const created = simpleProduct(overrides);
  await target.client.createProducts(store, { products: [created] });
  return eventually(target, store, created.sku ?? '');
}

/** Creates a product with variants and waits for it. */
export async function givenVariants(target: Target, store: StoreCredentials, items?: VariantItem[]) {
  const created = variantProduct(items);
  await target.client.createVariantProducts(store, { products: [created] });
  return eventually(target, store, created.variants.items[0]?.sku ?? '');
}
