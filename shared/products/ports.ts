import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Product } from './model.ts';
import { listingPartSchema } from './rules/split-update.ts';

/** An object of the import bucket, as it was when it was announced. */
export interface CatalogFile {
  readonly bucket: string;
  /** Not URL-encoded. */
  readonly key: string;
  readonly etag: string;
}

/** One put of a catalog file, as S3 announced it. */
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
  /** The object's bytes from `firstByte` on, which starts at 0; `undefined` when it was deleted or replaced since. */
  open(file: CatalogFile, firstByte: number): Promise<Readable | undefined>;
}

/** A `catalog.sync.requested` of products of a file. */
export interface CatalogSyncMessage {
  readonly storeClientId: string;
  readonly commandId: string;
  /** ISO 8601. */
  readonly time: string;
  readonly products: readonly Product[];
}

/** The product commands queue, sending side. */
export interface ProductCommandQueue {
  /** Durable in the queue when it resolves; when it rejects, some of them may be. */
  sendSyncs(messages: readonly CatalogSyncMessage[]): Promise<void>;
}

/** The product commands queue, for messages that are made already. */
export interface ProductMessageQueue {
  /** Durable in the queue when it resolves; when it rejects, some of them may be. */
  send(bodies: readonly string[]): Promise<void>;
}

/** What a command says of listings, for the changes queue. */
export const listingChangesSchema = listingPartSchema.extend({
  storeClientId: z.string(),
  commandId: z.string(),
  /** Epoch ms: when the command was given; the version of the values, where it has no integer one. */
  time: z.number(),
  version: z.number().int().optional(),
});
export type ListingChanges = z.infer<typeof listingChangesSchema>;

/** The changes queue, sending side. */
export interface ListingChangeQueue {
  /** Durable in the queue when it resolves; sends nothing where nothing changes. */
  send(changes: ListingChanges): Promise<void>;
}
