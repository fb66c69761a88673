/** A product of §4.3 – 4.6 as the partner wrote it: checked by the rules, then sent with every field it came with. */
export type Product = Readonly<Record<string, unknown>>;

/** Products with `variants` take the variant endpoints, all others the simple ones (design §6.1). */
export type ProductShape = 'simple' | 'variants';

/** Largest body of one request and of one queue message's products, in bytes of UTF-8 JSON. */
export const MAX_REQUEST_BODY_BYTES = 200_000;

/** Largest single product, in bytes of UTF-8 JSON: one that fills a body alone. */
export const MAX_PRODUCT_BYTES = MAX_REQUEST_BODY_BYTES - Buffer.byteLength('{"products":[]}');

/** Tells which endpoints take the product: it has `variants`, even if what they hold is wrong. */
export function shapeOf(product: Product): ProductShape {
  return product.variants === undefined || product.variants === null ? 'simple' : 'variants';
}

/** What is wrong with one row of a file or an event, in words for the partner. */
export interface RowFault {
  /** `ROW_NOT_JSON`, `ROW_TOO_LARGE` … for the form of the row, the rule's own code for its content. */
  readonly code: string;
  readonly message: string;
  /** Path of the field at fault, inside the product. */
  readonly field?: string;
  /** Further facts; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What every product command carries. */
export interface ProductCommand {
  readonly storeClientId: string;
  /** The partner's own, or the event's ID. */
  readonly commandId: string;
  readonly eventId: string;
  readonly detailType: string;
  /** Epoch ms: when the command was given. */
  readonly time: number;
}

/** A command that syncs or creates products. */
export interface BulkCommand extends ProductCommand {
  readonly detailType: 'catalog.sync.requested' | 'product.create.requested';
  /** As they came: each is still to be checked. */
  readonly products: readonly unknown[];
}

/** Bulk commands that are done together, so that they share requests: one, or several small ones. */
export interface CommandPack {
  /** Names what is done about it: the ID of its one command, or an ID of its own. */
  readonly packId: string;
  readonly storeClientId: string;
  readonly detailType: BulkCommand['detailType'];
  readonly commands: readonly BulkCommand[];
  /** The batch whose failed rows its one command tries again. */
  readonly retryOf?: string | undefined;
}

/** One product of a bulk command. */
export interface CommandRow {
  readonly command: BulkCommand;
  /** Position in the command's `products`, from 0. */
  readonly index: number;
  readonly product: Product;
}
