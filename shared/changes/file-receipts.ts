import * as z from 'zod';
import { countSchema, countsSchema } from '../collections/counts.ts';
import { liveSchema, versionKindSchema } from '../listings/model.ts';
import type { EpochMs } from '../time/times.ts';

/** Where the items of an event of the importer come from. */
export const fileOriginSchema = z.object({
  importId: z.string(),
  /** Number of the message in the file. */
  message: z.number().int().nonnegative(),
  /** `s3://bucket/key` */
  origin: z.string(),
  /** Number of each item in the file. */
  lines: z.array(z.number().int()),
});
export type FileOrigin = z.infer<typeof fileOriginSchema>;

/** The rows of a message that were merged into listings. */
const takenRowsSchema = z.object({
  versionKind: versionKindSchema,
  version: z.number().int(),
  /** The target of each row. */
  targets: z.array(z.string()),
  /** Number of each row in the file. */
  lines: z.array(z.number().int()),
  /** The values of each row. Absent in a receipt of an earlier version. */
  values: z.array(liveSchema.shape.values).optional(),
});
export type TakenRows = z.infer<typeof takenRowsSchema>;

/** A row of a file that was rejected after it was read. */
const rejectedLineSchema = z.object({
  /** Number in the file. */
  line: z.number().int(),
  target: z.string().optional(),
  code: z.string(),
  message: z.string(),
});
export type RejectedLine = z.infer<typeof rejectedLineSchema>;

/** The outcome of one message with rows of a file. */
export const fileReceiptSchema = z.object({
  importId: z.string(),
  /** Number of the message in the file. */
  message: z.number().int().nonnegative(),
  /** Rows of the message. */
  rows: countSchema,
  /** Rows that change-intake has rejected, by code. All other rows were merged into listings. */
  rejected: countsSchema,
  /** The merged rows, until the outcome of all of them is known. */
  open: takenRowsSchema.optional(),
  /** The outcome of the merged rows, once it is known for all of them. */
  ended: z.object({ accepted: countSchema, superseded: countSchema, rejected: countsSchema }).optional(),
  /** The rows that change-intake or the marketplace has rejected. */
  rejectedLines: z.array(rejectedLineSchema).optional(),
});
export type FileReceipt = z.infer<typeof fileReceiptSchema>;

/** The receipts of all messages with rows of files. */
export interface FileReceiptTable {
  /** Durable when it resolves; replaces the receipts of the same messages. `now` is epoch ms. */
  putAll(receipts: readonly FileReceipt[], now: EpochMs): Promise<void>;
  /** The receipts of a file in pages, in the order of the file's messages; strongly consistent. */
  pages(importId: string): AsyncIterable<readonly FileReceipt[]>;
}
