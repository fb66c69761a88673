import * as z from 'zod';
import { notationSchema } from '../stores/notation.ts';
import { objectCreatedSchema } from './file/announced-file.ts';

/** An import to go on with after it was read to its end, or released. `isFollowed`: to look at the outcome of its rows. */
const continuedImportSchema = z.object({
  importId: z.string(),
  isFollowed: z.boolean().optional(),
  isReleased: z.boolean().optional(),
  /** How the file writes numbers, as a person said. The file is then read a second time. */
  notation: notationSchema.optional(),
});
export type ContinuedImport = z.infer<typeof continuedImportSchema>;

/** The catalog importer's queue. */
export interface ImportQueue {
  /** Has the importer go on with an import, after `delayMs` (default 0). Durable when it resolves. */
  send(message: ContinuedImport, delayMs?: number): Promise<void>;
}

/** A message of the catalog importer's queue: an object that was put into the import bucket, or an import that goes on. */
export const importMessageSchema = z.union([objectCreatedSchema, continuedImportSchema]);
