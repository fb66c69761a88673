import type { MarketplaceClient } from '../marketplace/client.ts';
import type { IncomingDocument } from '../marketplace/documents.ts';
import type { StoredDocument } from './model.ts';

/** The document bucket. */
export interface DocumentBucket {
  find(key: string): Promise<StoredDocument | undefined>;
  /**
   * Streams a document into the bucket. Durable when it resolves. Replaces an existing object atomically. If the body
   * throws, the object does not change and the error is thrown.
   */
  put(key: string, document: IncomingDocument, commandId: string): Promise<StoredDocument>;
}

/** Presigned downloads from the document bucket. */
export interface DocumentDownloads {
  /** A URL that anyone can use for `seconds`. */
  urlOf(key: string, seconds: number): Promise<string>;
}

/** The calls of the marketplace that generate documents. */
export type DocumentCalls = Pick<MarketplaceClient, 'generateShippingLabel' | 'generateInvoice'>;
