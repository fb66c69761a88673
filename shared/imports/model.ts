import * as z from 'zod';
import { countSchema, countsSchema } from '../collections/counts.ts';
import { versionKindSchema } from '../listings/model.ts';
import { storeNamesSchema } from '../stores/model.ts';
import { notationSchema } from '../stores/notation.ts';
import { epochMsSchema, isoTimeSchema } from '../time/times.ts';
import { warningSchema } from '../warnings/model.ts';

/** Why a file was not read, or not to its end. */
export const fileFaultSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** Line or position of the row with the fault. Absent if the fault is not in one row. */
  number: countSchema.optional(),
  /** Further facts, such as the allowed columns. */
  details: z.record(z.string(), z.unknown()).optional(),
});

/** The end of a row in a file, with the facts that are needed to continue from there. */
export const filePositionSchema = z.object({
  /** Bytes of the file before this position; in a gzip file, unpacked bytes. */
  offset: countSchema,
  /** Number of the next row: its line, or its position in a JSON array. */
  number: countSchema,
  /** Columns of a CSV file. */
  header: z.array(z.string()).optional(),
  /** Cells of the header of a CSV file, with the empty ones at its end. */
  headerCells: countSchema.optional(),
  /** The delimiter of the cells of a CSV file. Default: a comma. */
  delimiter: z.string().optional(),
  /** Whether the JSON array is a member of an object. */
  isMember: z.boolean().optional(),
  /** Whether the JSON array has ended. */
  hasEnded: z.boolean().optional(),
});
export type FilePosition = z.infer<typeof filePositionSchema>;

const readingCountsSchema = z.object({
  /** Queued rows; in a dry run: valid ones. */
  sent: countSchema,
  /** Rejected rows by code. */
  rejected: countsSchema,
  /** Number of messages with the queued rows. Of a catalog each is a command: `{importId}/0` and so on. */
  commands: countSchema,
  /** Rows that were sent, and that the partner should look at. */
  warnings: z.array(warningSchema).optional(),
  /** How the numbers of the file and of its report are read. Absent: decimals have a dot, and an ambiguous number is rejected. */
  notation: notationSchema.optional(),
  /** In a file without a notation: the first cell that only a file with decimal commas can have. */
  signOfComma: z.string().optional(),
  /** The parts of the report. Absent while no row was rejected. */
  reportSize: z.object({ parts: countSchema, bytes: countSchema }).optional(),
});
export type ReadingCounts = z.infer<typeof readingCountsSchema>;

const fileVersionSchema = z.object({ kind: versionKindSchema, value: z.number().int() });
/** The version of a row of stock or prices. */
export type FileVersion = z.infer<typeof fileVersionSchema>;

/**
 * - `counting`: the listings that the store has are counted, before a row is sent;
 * - `reading`: rows are read and sent;
 * - `waiting`: until change-intake has taken all rows;
 * - `comparing`: the listings that no row names are counted;
 * - `held`: they are too many, and a person decides;
 * - `zeroing`: the stock of these listings becomes 0;
 * - `ended`, `discarded`.
 */
export const fullStateSchema = z.enum([
  'counting',
  'reading',
  'waiting',
  'comparing',
  'held',
  'zeroing',
  'ended',
  'discarded',
]);

/** Why an import is held, and since when (ISO 8601). */
export const importHoldSchema = z.object({ since: isoTimeSchema, reason: z.string() });

/** Work on the listings that a file under `full/` does not name. */
export const fullFileSchema = z.object({
  state: fullStateSchema,
  /** How the store named its products when its listings were counted. After a renaming its listings have names that no row could have. */
  name: storeNamesSchema.shape.products.optional(),
  /** Listings that the store had before the first row was sent. */
  known: countSchema,
  /** Listings that neither a row nor a newer change names. */
  missing: countSchema,
  /** Listings whose stock was set to 0. */
  zeroed: countSchema,
  /** The first listings that no row names. */
  missingNames: z.array(z.string()).optional(),
  /** Listings that the store had once the rows were taken. */
  compared: countSchema.optional(),
  /**
   * Listings that rows name: `refused` whose product the marketplace has refused as missing, `unanswered` without an answer of the
   * marketplace.
   */
  refused: countSchema.optional(),
  unanswered: countSchema.optional(),
  /** Names that the store may not have: first those of rejected rows, then those of refused and unanswered listings. */
  unknownNames: z.array(z.string()).optional(),
  /** The version of all rows and of the zeros. Absent before the first valid row. */
  version: fileVersionSchema.optional(),
  /** The last target that was counted or set to 0 in this state. */
  after: z.string().optional(),
  /** Targets of rejected rows. Their stock stays as it is. */
  spared: z.array(z.string()),
  /** Positions in `spared` of the targets that no compared listing has. */
  sparedUnknown: z.array(countSchema).optional(),
  /** Whether `spared` is incomplete: too many rows were rejected, or the name in a rejected row can't be read. */
  isSparedIncomplete: z.boolean(),
  hold: importHoldSchema.optional(),
});
export type FullFile = z.infer<typeof fullFileSchema>;

/** A file whose rows have signs of two notations: how its numbers are read. Its unambiguous rows are sent at once. */
const numbersSchema = z.object({
  /** The hold, until a person says how the file writes numbers. */
  hold: importHoldSchema.optional(),
  /** The person has left the rows as they are. */
  isDiscarded: z.literal(true).optional(),
  /** What the person has said. The file is then read a second time. */
  notation: notationSchema.optional(),
  /** Rows and messages that the first reading has sent. */
  sentBefore: z.object({ sent: countSchema, commands: countSchema }).optional(),
});

/** The outcome of the sent rows of a file of stock or prices at the last look. Rows that are not counted here are open. */
const followedRowsSchema = z.object({
  accepted: countSchema,
  /** Rows whose value was replaced by a newer one before it had an outcome. */
  superseded: countSchema,
  /** Rows rejected by change-intake or by the marketplace, by code. */
  rejected: countsSchema,
  /** The first batches with rows of the file. */
  batches: z.array(z.string()),
  /** When the last row got its outcome. */
  endedAt: isoTimeSchema.optional(),
});
export type FollowedRows = z.infer<typeof followedRowsSchema>;
/** The outcome before the first look. */
export const notFollowed: FollowedRows = { accepted: 0, superseded: 0, rejected: {}, batches: [] };

/** One put of a file into the import bucket. */
export const importRecordSchema = z.object({
  importId: z.string().min(1),
  /** `-` if the file's key names no store. */
  storeClientId: z.string().min(1),
  bucket: z.string(),
  key: z.string(),
  putAt: isoTimeSchema,
  /** When the first delivery began to read the file. */
  startedAt: isoTimeSchema,
  /** While the file is read: the position up to which every row was queued or rejected. Reading continues from there. */
  progress: readingCountsSchema.extend({ position: filePositionSchema }).optional(),
  /** Invocations in a row that used up their time and ended no section. */
  spentTries: countSchema.optional(),
  /** The object as S3 has announced it. */
  announced: z
    .object({
      eventId: z.string(),
      etag: z.string(),
      versionId: z.string().optional(),
      sequencer: z.string().optional(),
    })
    .optional(),
  /** Present only for a stock file under `full/`. */
  full: fullFileSchema.optional(),
  numbers: numbersSchema.optional(),
  /** Absent until the whole file was read and all its rows were queued or rejected. */
  reading: readingCountsSchema
    .extend({
      endedAt: isoTimeSchema,
      /** Rows of the file: queued and rejected ones. */
      rows: countSchema,
      fault: fileFaultSchema.optional(),
      /** Key of the object with the rejected rows. */
      report: z.string().optional(),
    })
    .optional(),
  /** When a person decided to leave the failed import as it is. */
  leftAt: isoTimeSchema.optional(),
  /** Present only for a file of stock or prices that was read to its end, if rows of it were sent. */
  followed: followedRowsSchema.optional(),
});
export type ImportRecord = z.infer<typeof importRecordSchema>;

/** The files of a store that are being read, each by one invocation. */
export const readingPlacesSchema = z.object({
  storeClientId: z.string().min(1),
  places: z.array(
    z.object({
      importId: z.string(),
      /** When the invocation is over, even if it crashed. */
      until: epochMsSchema,
    }),
  ),
});
export type ReadingPlaces = z.infer<typeof readingPlacesSchema>;

/** Whether an import waits for a person. */
export function isHeld({ full, numbers }: Pick<ImportRecord, 'full' | 'numbers'>): boolean {
  return full?.state === 'held' || numbers?.hold !== undefined;
}

/** Orders the puts of files, the last first: by time, in whole seconds, then by S3's sequencer, compared as text. */
export function lastPutFirst(
  one: Pick<ImportRecord, 'putAt' | 'announced'>,
  other: Pick<ImportRecord, 'putAt' | 'announced'>,
): number {
  const [time, otherTime] = [one.putAt, other.putAt];
  const [sequencer = '', otherSequencer = ''] = [one.announced?.sequencer, other.announced?.sequencer];
  if (time === otherTime && sequencer === otherSequencer) return 0;
  return time > otherTime || (time === otherTime && sequencer > otherSequencer) ? -1 : 1;
}

/** Whether a file was put under the same key later, and was read. */
export function replaces(
  later: ImportRecord,
  earlier: Pick<ImportRecord, 'key' | 'putAt' | 'announced'>,
): boolean {
  return later.key === earlier.key && later.reading !== undefined && lastPutFirst(later, earlier) < 0;
}

/**
 * Whether a file has failed: it could not be read to its end, or none of its rows was sent, and no person has decided to leave it so. A
 * dry run never fails, as it would send nothing. A file whose rows the marketplace rejected has not failed: each row has its rejection.
 */
export function hasFailed({
  key,
  reading,
  leftAt,
  ...file
}: Pick<ImportRecord, 'key' | 'reading' | 'leftAt' | 'full' | 'numbers'>): boolean {
  if (reading === undefined || leftAt !== undefined || isHeld(file) || key.startsWith('dry-run/'))
    return false;
  return reading.fault !== undefined || (reading.rows > 0 && reading.sent === 0);
}
