import { z } from 'zod';
import type { PageRequest } from '../collections/page-request.ts';
import { rowNamesSchema } from '../events/outgoing.ts';

/** A row or an event of the partner's that can not be processed, with the reason. */
export const rejectionSchema = z.object({
  /** `-` where the event does not say which store it is for. */
  storeClientId: z.string().min(1),
  /** The same input gives the same ID, so that a redelivery adds no second record. */
  rejectionId: z.string().min(1),
  /** ISO 8601. */
  rejectedAt: z.string(),
  /** Ours (`VERSION_FUTURE`, `EVENT_INVALID` …) or the marketplace's (`INV_001` …). */
  code: z.string(),
  message: z.string(),
  /** Path of the field at fault, for instance `items.3.stock`. */
  field: z.string().optional(),
  rowIndex: z.number().int().nonnegative().optional(),
  /** The positions of all its rows, if there are several; `rowIndex` is the first of them. */
  rowIndexes: z.array(z.number().int().nonnegative()).optional(),
  /** `sku:…`, `id:…` or `externalId:…` */
  target: z.string().optional(),
  ...rowNamesSchema.shape,
  detailType: z.string().optional(),
  eventId: z.string().optional(),
  commandId: z.string().optional(),
  batchId: z.string().optional(),
  /** Where the row came from, for instance `s3://bucket/catalog/store/file.csv#12`. */
  origin: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export type Rejection = z.infer<typeof rejectionSchema>;
/** `-`: the store of an event that names none. */
export const UNKNOWN_STORE = '-';

/** The Rejections table. */
export interface RejectionTable {
  /** Idempotent by `storeClientId` and `rejectionId`. */
  putAll(rejections: readonly Rejection[]): Promise<void>;
  /** Those of a command, or of an event that is no command, by its ID; at most 1,000. May be a moment behind. */
  listOf(sourceId: string): Promise<Rejection[]>;
  list(storeClientId: string, options?: PageRequest): Promise<{ rejections: Rejection[]; cursor?: string }>;
}
