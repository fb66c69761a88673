import * as z from 'zod';
import { batchStateSchema } from '../batches/model.ts';
import { countSchema, countsSchema } from '../collections/counts.ts';
import { batchKindSchema, rowCountsSchema } from '../events/outgoing.ts';
import { isoTimeSchema } from '../time/times.ts';
import { warningSchema } from '../warnings/model.ts';
import { fileFaultSchema, fullFileSchema, importHoldSchema, importRecordSchema } from './model.ts';

/**
 * - `reading`: the file is being read, or will be read again after a failure;
 * - `held`: a person decides on the listings that a file under `full/` does not name, or says how a file writes numbers;
 * - `open`: rows wait to be sent, or for their outcome;
 * - `unresolved`: some rows are unresolved, and no other row is open;
 * - `completed`, `completed_with_errors` and `failed` as for a batch: all rows were accepted, some rows, or none.
 */
const importStateSchema = z.enum([
  'reading',
  'held',
  'open',
  'unresolved',
  'completed',
  'completed_with_errors',
  'failed',
]);

/** A file in answers: its record, and the outcome of its rows. */
export const importViewSchema = importRecordSchema
  .omit({
    reading: true,
    followed: true,
    progress: true,
    spentTries: true,
    announced: true,
    full: true,
    numbers: true,
  })
  .extend({
    state: importStateSchema,
    /** Rows were only checked. `sent` is 0, and `accepted` counts the valid ones. */
    dryRun: z.literal(true).optional(),
    /** Present for a stock file under `full/`. */
    full: fullFileSchema
      .pick({
        state: true,
        known: true,
        missing: true,
        missingNames: true,
        unknownNames: true,
        zeroed: true,
        hold: true,
      })
      .optional(),
    /** Rows and bytes of text that were read up to now. Present from the end of the first section until the file is read. */
    progress: z.object({ rows: countSchema, bytes: countSchema }).optional(),
    /** Why the import is held. */
    hold: importHoldSchema.optional(),
    /**
     * Key of the report in the import bucket. It has the rows that were rejected while the file was read. Once no row of stock or prices
     * is open, it also has the rows that the marketplace rejected.
     */
    report: z.string().optional(),
    /** When the file reached this state. */
    since: isoTimeSchema,
    /** `read` = `accepted` + `superseded` + all `rejected` + `open`. Absent while the file is read. */
    rows: z
      .object({
        read: countSchema,
        sent: countSchema,
        accepted: countSchema,
        /** Rows of stock and prices whose value was replaced by a newer one before it had an outcome. Absent if there is none. */
        superseded: countSchema.optional(),
        rejected: countsSchema,
        open: countSchema,
      })
      .optional(),
    fault: fileFaultSchema.optional(),
    warnings: z.array(warningSchema).optional(),
    /** Batches with rows of the file; for stock and prices the first 100. A batch may also have rows of other files. */
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
