import * as z from 'zod';
import { addCounts } from '../collections/counts.ts';
import type { PageRequest } from '../collections/page-request.ts';
import { rejectionSubjectsSchema, rowNamesSchema, rowVersionsSchema } from '../events/outgoing.ts';
import { type IsoTime, isoTimeSchema } from '../time/times.ts';

/** A row or an event that can't be processed, with the reason. */
export const rejectionSchema = z.object({
  /** `-` if the event names no store. */
  storeClientId: z.string().min(1),
  /** The same input gives the same ID: a redelivery adds no second record. */
  rejectionId: z.string().min(1),
  rejectedAt: isoTimeSchema,
  /** A code of the connector (`VERSION_FUTURE`, `EVENT_INVALID` …) or of the marketplace (`INV_001` …). */
  code: z.string(),
  message: z.string(),
  /** Path of the field at fault, for instance `items.3.stock`. */
  field: z.string().optional(),
  /** Position in the batch if there is a `batchId`, otherwise in the event. */
  rowIndex: z.number().int().nonnegative().optional(),
  /** If the rejection has several rows: the positions of all. `rowIndex` is the first. */
  rowIndexes: z.array(z.number().int().nonnegative()).optional(),
  /** `sku:…`, `id:…` or `externalId:…` */
  target: z.string().optional(),
  ...rowNamesSchema.shape,
  subjects: rejectionSubjectsSchema.optional(),
  detailType: z.string().optional(),
  eventId: z.string().optional(),
  commandId: z.string().optional(),
  /** Position in the command's `products`, if the batch has rows of several commands. */
  productIndex: z.number().int().nonnegative().optional(),
  batchId: z.string().optional(),
  /** For a row of stock or prices that the marketplace rejected: the versions of its values. The row's event is found by them. */
  versions: rowVersionsSchema.optional(),
  /** Where the row came from, for instance `s3://bucket/catalog/store/file.csv#12`. */
  origin: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export type Rejection = z.infer<typeof rejectionSchema>;
/** The rejections of each message, by the message's ID. */
export type RejectionsOfMessages = ReadonlyMap<string, readonly Rejection[]>;
/** `storeClientId` of an event that names no store. */
export const UNKNOWN_STORE = '-';
/** Code of the rejection of a dead letter that an operator deleted. */
export const DEAD_LETTER_DELETED = 'DEAD_LETTER_DELETED';

/** The kinds of key by which rejections of a store are found. */
export const rejectionKeyNames = [
  'target',
  'orderId',
  'invoiceNumber',
  'eventId',
  'commandId',
  'batchId',
  'importId',
] as const;
export type RejectionKeyName = (typeof rejectionKeyNames)[number];

/** One thing that rejections are about or come from: a product, an order, an event, a command, a batch or a file. */
export interface RejectionKey {
  readonly name: RejectionKeyName;
  /** For a target: `sku:…`, `id:…` or `externalId:…`. */
  readonly value: string;
}

/** Filters of a store's rejections. Default: all of them, the oldest first. */
export interface RejectionQuery extends PageRequest {
  readonly about?: RejectionKey | undefined;
  readonly code?: string | undefined;
  /** Inclusive: the time of the event, or of the request that was refused. */
  readonly since?: IsoTime | undefined;
  readonly newestFirst?: boolean | undefined;
}

/** The Rejections table. */
export interface RejectionTable {
  /**
   * Idempotent by `storeClientId` and `rejectionId`.
   *
   * @param withdrawn rejections that may have been stored before with the same names, and no longer hold. They are removed.
   */
  putAll(rejections: readonly Rejection[], withdrawn?: readonly Rejection[]): Promise<void>;
  /** Rejections of a command or an event, by its ID; at most 1,000. Eventually consistent. */
  listOf(sourceId: string): Promise<Rejection[]>;
  /** Strongly consistent. A page with a filter by `code` may be short, or empty, and have a cursor. */
  list(storeClientId: string, query?: RejectionQuery): Promise<{ rejections: Rejection[]; cursor?: string }>;
  /**
   * Rejections of several stores together, the newest first: one query for each store. Eventually consistent. A page with a filter by
   * `code` may be short, or empty, and have a cursor.
   */
  listOfStores(
    storeClientIds: readonly string[],
    query: Omit<RejectionQuery, 'newestFirst'> & { readonly limit: number },
  ): Promise<{ rejections: Rejection[]; cursor?: string }>;
}

export function countByCode(
  rejections: readonly { readonly code: string; readonly rowIndexes?: readonly number[] | undefined }[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, rowIndexes } of rejections) addCounts(counts, { [code]: rowIndexes?.length ?? 1 });
  return counts;
}

/** Number of rejected rows. */
export function countRows(rejections: readonly Pick<Rejection, 'rowIndexes'>[]): number {
  return rejections.reduce((sum, { rowIndexes }) => sum + (rowIndexes?.length ?? 1), 0);
}
