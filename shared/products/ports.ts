import type { RecordBatchPorts, RequestArchive } from '../batches/ports.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import type { LedgerPorts, LockTable, RequestTable } from '../requests/ports.ts';
import type { Clock } from '../time/clock.ts';
import type { EpochMs } from '../time/times.ts';
import type { SkuRename } from './rules/renames.ts';
import type { ListingPart } from './rules/split-update.ts';

/** The prices and stock of a command, for the changes queue. */
export interface ListingChanges extends ListingPart {
  readonly storeClientId: string;
  readonly commandId: string;
  /** When the command was given. The version of the values, unless `version` is given. */
  readonly time: EpochMs;
  readonly version?: number | undefined;
}

/** Names of a product or variant; at least one. */
export interface CreatedProduct {
  readonly sku?: string | undefined;
  readonly externalId?: string | undefined;
  /** Only the product's variants have stock and prices: the product gets no listing. */
  readonly isParent?: true | undefined;
}

/** The changes queue. */
export interface ListingChangeQueue {
  /**
   * Queues created products, so that the values of their listings are sent again. Durable when it resolves. `knownAt`, epoch ms,
   * must be the same in a repetition. `sentAt`: when the creation was sent. Sends nothing without products.
   */
  sendCreated(created: {
    readonly storeClientId: string;
    readonly products: readonly CreatedProduct[];
    readonly knownAt: EpochMs;
    readonly sentAt?: EpochMs;
  }): Promise<void>;
  /** Queues a rename, so that the listing of the product's old SKU ends. Durable when it resolves. */
  sendRenamed(renamed: Omit<ListingChanges, 'prices' | 'stocks'> & SkuRename): Promise<void>;
  /** Durable when it resolves. Sends nothing if there are no prices and no stock. */
  send(changes: ListingChanges): Promise<void>;
}

export interface ProductPorts extends LedgerPorts, RecordBatchPorts {
  readonly locks: LockTable;
  readonly changes: ListingChangeQueue;
  readonly calls: Pick<
    MarketplaceClient,
    | 'syncCatalog'
    | 'syncVariantCatalog'
    | 'createProducts'
    | 'createVariantProducts'
    | 'deleteProducts'
    | 'getProduct'
    | 'updateProduct'
  >;
  readonly itemsPerRequest: number;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
}

export type BatchEndPorts = Pick<ProductPorts, 'locks' | 'changes'> & {
  readonly clock: Pick<Clock, 'now'>;
  readonly archive: Pick<RequestArchive, 'get'>;
  readonly requests: Pick<RequestTable, 'get'>;
};
