import type { BatchKind, Submission } from '../batches/model.ts';
import type { BatchAnswer } from '../marketplace/batch.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import type { CallOptions } from '../marketplace/options.ts';
import type { SimpleProduct, VariantProduct } from '../marketplace/product-request.ts';
import type { StoreCredentials } from '../marketplace/request.ts';
import type { BulkCommand, Product, ProductShape } from './model.ts';

/** The calls of the marketplace that bulk commands make. */
export type BulkCalls = Pick<
  MarketplaceClient,
  'syncCatalog' | 'syncVariantCatalog' | 'createProducts' | 'createVariantProducts'
>;

/** How a bulk command is done with products of one shape. */
export interface BulkOperation {
  readonly kind: BatchKind;
  readonly endsBy: Submission['endsBy'];
  /** Sends products that `checkProduct` found good; the client checks the whole request once more. */
  send(
    calls: BulkCalls,
    store: StoreCredentials,
    products: readonly Product[],
    options: CallOptions,
  ): Promise<BatchAnswer>;
}

/** Which call does which command, and what ends its batch (§4.3 – 4.6; design §6.4). */
export const BULK_OPERATIONS: Readonly<
  Record<BulkCommand['detailType'], Readonly<Record<ProductShape, BulkOperation>>>
> = {
  'catalog.sync.requested': {
    simple: {
      kind: 'catalog-sync',
      endsBy: 'summary',
      send: (calls, store, products, options) =>
        calls.syncCatalog(store, { products: products as SimpleProduct[] }, options),
    },
    variants: {
      kind: 'catalog-variants-sync',
      endsBy: 'summary',
      send: (calls, store, products, options) =>
        calls.syncVariantCatalog(store, { products: products as VariantProduct[] }, options),
    },
  },
  'product.create.requested': {
    simple: {
      kind: 'product-create',
      endsBy: 'answer',
      send: (calls, store, products, options) =>
        calls.createProducts(store, { products: products as SimpleProduct[] }, options),
    },
    variants: {
      kind: 'product-create-variants',
      endsBy: 'answer',
      send: (calls, store, products, options) =>
        calls.createVariantProducts(store, { products: products as VariantProduct[] }, options),
    },
  },
};

/** @throws {RangeError} for a kind of request that has no products to create. */
export function operationOf(kind: string): BulkOperation {
  const operations = Object.values(BULK_OPERATIONS).flatMap(Object.values<BulkOperation>);
  const found = operations.find((operation) => operation.kind === kind);
  if (found === undefined) throw new RangeError(`${kind} creates no products`);
  return found;
}
