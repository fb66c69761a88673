import * as z from 'zod';

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

/** What change-intake made of one message with rows of a file. */
export const fileReceiptSchema = z.object({
  importId: z.string(),
  /** Number of the message in the file. */
  message: z.number().int().nonnegative(),
  /** Rows of the message. */
  rows: z.number().int().nonnegative(),
  /** Rejected rows, by code. All others were merged into listings. */
  rejected: z.record(z.string(), z.number().int().nonnegative()),
});
export type FileReceipt = z.infer<typeof fileReceiptSchema>;

/** The messages with rows of files that were taken. */
export interface FileReceiptTable {
  /** Durable when it resolves; replaces the receipts of the same messages. `now` is epoch ms. */
  putAll(receipts: readonly FileReceipt[], now: number): Promise<void>;
  /** Strongly consistent. */
  list(importId: string): Promise<FileReceipt[]>;
}
