import type { MarketplaceClient } from '../marketplace/client.ts';
import type { IncomingDocument } from '../marketplace/documents.ts';
import type { OrderTable } from '../orders/ports.ts';
import type { ReportRejectionsPorts } from '../rejections/use-cases/report-rejections.ts';
import type { LockTable } from '../requests/ports.ts';
import type { Clock } from '../time/clock.ts';
import type { StoredDocument } from './model.ts';

export interface DocumentBucket {
  find(key: string): Promise<StoredDocument | undefined>;
  /**
   * Stores a document in the bucket. Durable when it resolves. Replaces an existing object atomically. If the body
   * throws, the object does not change and the error is thrown.
   *
   * @param includeItems as in its command
   */
  put(
    key: string,
    document: IncomingDocument,
    commandId: string,
    includeItems?: boolean,
  ): Promise<StoredDocument>;
  /**
   * Deletes a document. The bucket keeps it as an older version for a few days.
   *
   * @returns whether there was a document
   */
  remove(key: string): Promise<boolean>;
}

/** Presigned downloads from the document bucket. */
export interface DocumentDownloads {
  /** A URL that anyone can use for `seconds`. */
  urlOf(key: string, seconds: number): Promise<string>;
}

export interface DocumentPorts extends ReportRejectionsPorts {
  readonly locks: LockTable;
  readonly documents: DocumentBucket;
  readonly orders: Pick<OrderTable, 'update'>;
  readonly calls: Pick<MarketplaceClient, 'generateShippingLabel' | 'generateInvoice'>;
  readonly clock: Pick<Clock, 'now'>;
  /** How long after its command an order may take to reach a state that allows the document. */
  readonly waitForStateMs: number;
}
