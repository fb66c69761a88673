import type { Command } from '../requests/model.ts';

/** A product of §4.3 – 4.6 as the partner wrote it: checked by the rules, then sent with every field it came with. */
export type Product = Readonly<Record<string, unknown>>;

/** Products with `variants` take the variant endpoints, all others the simple ones (§4.3 – 4.6). */
export type ProductShape = 'simple' | 'variants';

/** Largest body of one request and of one queue message's products, in bytes of UTF-8 JSON. */
export const MAX_REQUEST_BODY_BYTES = 200_000;

/** Largest single product, in bytes of UTF-8 JSON: one that fills a body alone. */
export const MAX_PRODUCT_BYTES = MAX_REQUEST_BODY_BYTES - Buffer.byteLength('{"products":[]}');

/** Tells which endpoints take the product: it has `variants`, even if what they hold is wrong. */
export function shapeOf(product: Product): ProductShape {
  return product.variants === undefined || product.variants === null ? 'simple' : 'variants';
}

/** A command that syncs or creates products. */
export interface BulkCommand extends Command {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  /** As they came: each is still to be checked. */
  readonly products: readonly unknown[];
}

/** A command that deletes products. */
export interface DeleteCommand extends Command {
  readonly detailType: 'product.delete.requested';
  /** As they came: each is still to be checked. */
  readonly ids: readonly string[];
}

/** A command that updates one product. */
export interface UpdateCommand extends Command {
  readonly detailType: 'product.update.requested';
  readonly productId: string;
  /** As they came: still to be checked. */
  readonly changes: Readonly<Record<string, unknown>>;
}

export type ProductCommand = BulkCommand | DeleteCommand | UpdateCommand;
