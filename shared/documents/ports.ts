import type { MarketplaceClient } from '../marketplace/client.ts';
import type { MarketplaceDocument } from '../marketplace/documents.ts';
import type { StoredDocument } from './model.ts';

/** The document bucket. */
export interface DocumentBucket {
  find(key: string): Promise<StoredDocument | undefined>;
  /** Durable when it resolves; replaces what the key held. S3 checks the bytes against `document.sha256`. */
  put(key: string, document: MarketplaceDocument, commandId: string): Promise<StoredDocument>;
}

/** Hands documents out of the bucket without the stack's credentials. */
export interface DocumentDownloads {
  /** URL that gives the object to anybody for `seconds`. */
  urlOf(key: string, seconds: number): Promise<string>;
}

/** The calls of the marketplace that make documents. */
export type DocumentCalls = Pick<MarketplaceClient, 'generateShippingLabel' | 'generateInvoice'>;
