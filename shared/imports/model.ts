import { z } from 'zod';
import { batchStateSchema } from '../batches/model.ts';
import type { PageRequest } from '../collections/page-request.ts';
import { batchKindSchema, rowCountsSchema } from '../events/outgoing.ts';

const count = z.number().int().nonnegative();
/** Number of rejected rows by code. */
const countsByCode = z.record(z.string(), count);
/** Why a file was not read, or not to its end. */
const fileFaultSchema = z.object({ code: z.string(), message: z.string() });

/** The end of a row in a file, with the facts that are needed to continue from there. */
export const catalogPositionSchema = z.object({
  /** Bytes before it; in a gzip file: unpacked bytes. */
  offset: count,
  /** Number of the next row: its line, or its position in a JSON array. */
  number: count,
  /** Columns of a CSV file. */
  header: z.array(z.string()).optional(),
  /** Whether the JSON array ends there. */
  ended: z.boolean().optional(),
});
export type CatalogPosition = z.infer<typeof catalogPositionSchema>;

const countsOfReading = {
  /** Queued rows. */
  sent: count,
  rejected: countsByCode,
  /** Number of commands with the queued rows: `{importId}/0` and so on. */
  commands: count,
};

/** One put of a file into the import bucket. */
export const importRecordSchema = z.object({
  importId: z.string().min(1),
  /** `-` if the file's key names no store. */
  storeClientId: z.string().min(1),
  bucket: z.string(),
  key: z.string(),
  /** ISO 8601. */
  putAt: z.string(),
  /** ISO 8601: when the first delivery began to read it. */
  startedAt: z.string(),
  /** While the file is read: the position up to which every row was queued or rejected. Reading continues from there. */
  progress: z.object({ position: catalogPositionSchema, ...countsOfReading }).optional(),
  /** Absent until the whole file was read and all its rows were queued or rejected. */
  reading: z
    .object({
      /** ISO 8601. */
      endedAt: z.string(),
      /** Rows of the file: queued and rejected ones. */
      rows: count,
      ...countsOfReading,
      fault: fileFaultSchema.optional(),
    })
    .optional(),
});
export type ImportRecord = z.infer<typeof importRecordSchema>;

/**
 * - `reading`: the file is being read, or will be read again after a failure;
 * - `open`: rows wait to be sent, or for their outcome;
 * - `unresolved`: some rows are unresolved, and no other row is open;
 * - the others as for a batch: all rows were accepted, some, or none.
 */
const importStateSchema = z.enum([
  'reading',
  'open',
  'unresolved',
  'completed',
  'completed_with_errors',
  'failed',
]);

/** A file in answers: its record, and the outcome of its rows. */
export const importViewSchema = importRecordSchema.omit({ reading: true, progress: true }).extend({
  state: importStateSchema,
  /** ISO 8601: when the file reached this state. */
  since: z.string(),
  /** `read` = `accepted` + all `rejected` + `open`. Absent while the file is read. */
  rows: z
    .object({ read: count, sent: count, accepted: count, rejected: countsByCode, open: count })
    .optional(),
  fault: fileFaultSchema.optional(),
  /** Batches with rows of the file. They may have rows of other commands too. */
  batches: z.array(
    z.object({
      batchId: z.string(),
      kind: batchKindSchema.optional(),
      state: batchStateSchema,
      rows: rowCountsSchema,
    }),
  ),
});
export type ImportView = z.infer<typeof importViewSchema>;

/** Imports in the Inputs table. */
export interface ImportTable {
  /** Strongly consistent. */
  get(importId: string): Promise<ImportRecord | undefined>;
  /**
   * Applies `change` to the newest record and stores the result by a conditional write. Calls `change` again if another
   * writer was faster. `change` returns `undefined` to keep the record.
   *
   * @returns the resulting record.
   */
  update(
    importId: string,
    change: (current: ImportRecord | undefined) => ImportRecord | undefined,
  ): Promise<ImportRecord | undefined>;
  /** The imports of a store, newest first. Eventually consistent. */
  list(storeClientId: string, page?: PageRequest): Promise<{ imports: ImportRecord[]; cursor?: string }>;
}
