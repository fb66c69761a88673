import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Product } from './model.ts';
import { listingPartSchema } from './rules/split-update.ts';

/** An object of the import bucket; its `etag` identifies the content. */
export interface CatalogFile {
  readonly bucket: string;
  /** Not URL-encoded. */
  readonly key: string;
  readonly etag: string;
}

/** One put of a catalog file, from its S3 event. */
export interface AnnouncedFile extends CatalogFile {
  readonly versionId?: string | undefined;
  /** Differs for each put of the same key. */
  readonly sequencer?: string | undefined;
  /** ISO 8601: when the object was put. */
  readonly time: string;
  readonly eventId: string;
}

/** The import bucket. */
export interface CatalogFiles {
  /** The object's bytes from byte `firstByte` (the first is 0) on; `undefined` if it was deleted or replaced since. */
  open(file: CatalogFile, firstByte: number): Promise<Readable | undefined>;
}

/** A `catalog.sync.requested` with products of a file. */
export interface CatalogSyncMessage {
  readonly storeClientId: string;
  readonly commandId: string;
  /** ISO 8601. */
  readonly time: string;
  readonly products: readonly Product[];
}

/** The product commands queue. */
export interface ProductCommandQueue {
  /** Durable when it resolves. If it rejects, some messages may be queued. */
  sendSyncs(messages: readonly CatalogSyncMessage[]): Promise<void>;
}

/** The product commands queue, for serialized messages. */
export interface ProductMessageQueue {
  /** Durable when it resolves. If it rejects, some messages may be queued. */
  send(bodies: readonly string[]): Promise<void>;
}

/** The prices and stock of a command, for the changes queue. */
export const listingChangesSchema = listingPartSchema.extend({
  storeClientId: z.string(),
  commandId: z.string(),
  /** Epoch ms: when the command was given. The version of the values, unless `version` is given. */
  time: z.number(),
  version: z.number().int().optional(),
});
export type ListingChanges = z.infer<typeof listingChangesSchema>;

/** Names of a product or variant; at least one. */
export interface CreatedProduct {
  readonly sku?: string | undefined;
  readonly externalId?: string | undefined;
}

/** The changes queue, for products whose listings must be sent again. */
export interface CreatedProductQueue {
  /** Durable when it resolves. `knownAt`, epoch ms, must be the same in a repetition. Sends nothing without products. */
  sendCreated(created: {
    readonly storeClientId: string;
    readonly products: readonly CreatedProduct[];
    readonly knownAt: number;
  }): Promise<void>;
}

/** The changes queue. */
export interface ListingChangeQueue extends CreatedProductQueue {
  /** Durable when it resolves. Sends nothing if there are no prices and no stock. */
  send(changes: ListingChanges): Promise<void>;
}
