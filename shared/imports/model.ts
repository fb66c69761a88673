import { z } from 'zod';
import { batchStateSchema } from '../batches/model.ts';
import type { PageRequest } from '../collections/page-request.ts';
import { batchKindSchema, rowCountsSchema } from '../events/outgoing.ts';

const count = z.number().int().nonnegative();
/** Rows by the code that they were rejected with. */
const countsByCode = z.record(z.string(), count);
/** Why a file, or the rest of it, was not read. */
const fileFaultSchema = z.object({ code: z.string(), message: z.string() });

/** The end of a row in a file, with the facts that reading on from there needs. */
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
  /** Rows that were sent on. */
  sent: count,
  rejected: countsByCode,
  /** Commands that the rows were sent on in: `{importId}/0` and so on. */
  commands: count,
};

/** One put of a file into the import bucket: what identifies it, and what was read of it. */
export const importRecordSchema = z.object({
  importId: z.string().min(1),
  /** `-` where the file's key names no store. */
  storeClientId: z.string().min(1),
  bucket: z.string(),
  key: z.string(),
  /** ISO 8601. */
  putAt: z.string(),
  /** ISO 8601: when reading began for the first time. */
  startedAt: z.string(),
  /** While the file is read: the position up to which every row was queued or rejected. Reading continues from there. */
  progress: z.object({ position: catalogPositionSchema, ...countsOfReading }).optional(),
  /** Absent until the file was read to its end, and everything that it holds was queued or rejected. */
  reading: z
    .object({
      /** ISO 8601. */
      endedAt: z.string(),
      /** Rows of the file: those that were sent on, and those that were rejected. */
      rows: count,
      ...countsOfReading,
      fault: fileFaultSchema.optional(),
    })
    .optional(),
});
export type ImportRecord = z.infer<typeof importRecordSchema>;

/**
 * - `reading`: the file is being read, or waits to be read again after a failure;
 * - `open`: rows wait to be sent, or for their outcome;
 * - `unresolved`: the outcome of some rows could not be found out, and none is open otherwise;
 * - the others as of a batch: all rows accepted, some, none.
 */
const importStateSchema = z.enum([
  'reading',
  'open',
  'unresolved',
  'completed',
  'completed_with_errors',
  'failed',
]);

/** A file as it is shown: its record, and the outcome of its rows. */
export const importViewSchema = importRecordSchema.omit({ reading: true, progress: true }).extend({
  state: importStateSchema,
  /** ISO 8601: when the file came into this state. */
  since: z.string(),
  /** `read` = `accepted` + all `rejected` + `open`; absent while the file is read. */
  rows: z
    .object({ read: count, sent: count, accepted: count, rejected: countsByCode, open: count })
    .optional(),
  fault: fileFaultSchema.optional(),
  /** Batches that have rows of the file; they may have rows of other commands as well. */
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

/** The files that came in, in the Inputs table. */
export interface ImportTable {
  /** Strongly consistent. */
  get(importId: string): Promise<ImportRecord | undefined>;
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when another
   * writer came between. `change` returns `undefined` to leave the record as it is.
   *
   * @returns the record as it then stands.
   */
  update(
    importId: string,
    change: (current: ImportRecord | undefined) => ImportRecord | undefined,
  ): Promise<ImportRecord | undefined>;
  /** The files of a store, those put last first; may be a moment behind. */
  list(storeClientId: string, page?: PageRequest): Promise<{ imports: ImportRecord[]; cursor?: string }>;
}
