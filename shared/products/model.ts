import type { Command } from '../requests/model.ts';

/** A product of §4.3 – 4.6 as the partner wrote it. It is sent with all its fields. */
export type GivenProduct = Readonly<Record<string, unknown>>;

/** Products with `variants` are sent to the variant endpoints, all others to the simple ones (§4.3 – 4.6). */
export type ProductShape = 'simple' | 'variants';

/** Largest body of one request and of one queue message's products, in bytes of UTF-8 JSON. */
export const MAX_REQUEST_BODY_BYTES = 200_000;

/** Largest product, in bytes of UTF-8 JSON: a product of this size fills a body alone. */
export const MAX_PRODUCT_BYTES = MAX_REQUEST_BODY_BYTES - Buffer.byteLength('{"products":[]}');

/** The shape of a product by its field `variants`, even if the field is invalid. */
export function shapeOf(product: GivenProduct): ProductShape {
  return product.variants === undefined || product.variants === null ? 'simple' : 'variants';
}

export interface BulkCommand extends Command {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  /** Not checked yet. */
  readonly products: readonly unknown[];
}

export interface DeleteCommand extends Command {
  readonly detailType: 'product.delete.requested';
  /** Not checked yet. */
  readonly ids: readonly unknown[];
}

export interface UpdateCommand extends Command {
  readonly detailType: 'product.update.requested';
  readonly productId: string;
  /** Not checked yet. */
  readonly changes: Readonly<Record<string, unknown>>;
}

export type ProductCommand = BulkCommand | DeleteCommand | UpdateCommand;
