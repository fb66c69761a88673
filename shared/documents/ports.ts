import type { MarketplaceClient } from '../marketplace/client.ts';
import type { IncomingDocument } from '../marketplace/documents.ts';
import type { StoredDocument } from './model.ts';

/** The document bucket. */
export interface DocumentBucket {
  find(key: string): Promise<StoredDocument | undefined>;
  /**
   * Stores a document while it comes. Durable when it resolves; replaces what the key held, whole and at one moment.
   * One whose body throws leaves the key as it was, and that is thrown.
   */
  put(key: string, document: IncomingDocument, commandId: string): Promise<StoredDocument>;
}

/** Hands documents out of the bucket without the stack's credentials. */
export interface DocumentDownloads {
  /** URL that gives the object to anybody for `seconds`. */
  urlOf(key: string, seconds: number): Promise<string>;
}

/** The calls of the marketplace that make documents. */
export type DocumentCalls = Pick<MarketplaceClient, 'generateShippingLabel' | 'generateInvoice'>;
