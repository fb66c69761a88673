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
  /** Line or position of the row with the fault. Absent if it is none of one row. */
  number: countSchema.optional(),
  /** Further facts, such as the allowed columns. */
  details: z.record(z.string(), z.unknown()).optional(),
});

/** The end of a row in a file, with the facts that are needed to continue from there. */
export const filePositionSchema = z.object({
  /** Bytes before it; in a gzip file: unpacked bytes. */
  offset: countSchema,
  /** Number of the next row: its line, or its position in a JSON array. */
  number: countSchema,
  /** Columns of a CSV file. */
  header: z.array(z.string()).optional(),
  /** Cells of the header of a CSV file, with the empty ones at its end. */
  headerCells: countSchema.optional(),
  /** Between the cells of a CSV file. Default: a comma. */
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
  /** Number of messages with the queued rows, each a command in a catalog: `{importId}/0` and so on. */
  commands: countSchema,
  /** What the partner should look at in rows that were sent. */
  warnings: z.array(warningSchema).optional(),
  /** How the file's numbers are read, up to its report. Absent: by dots for decimals, and nothing that may mean something else. */
  notation: notationSchema.optional(),
  /** The first cell of a file without a notation that can only be of another one. */
  signOfComma: z.string().optional(),
  /** The parts of the report. Absent while no row was rejected. */
  reportSize: z.object({ parts: countSchema, bytes: countSchema }).optional(),
});
export type ReadingCounts = z.infer<typeof readingCountsSchema>;

const fileVersionSchema = z.object({ kind: versionKindSchema, value: z.number().int() });
/** The version of rows of stock or prices. */
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
  /** How the store named its products when its listings were counted: after a renaming it has others, which no row could name. */
  name: storeNamesSchema.shape.products.optional(),
  /** Listings that the store had before the first row was sent. */
  known: countSchema,
  /** Listings that no row names, and no newer change. */
  missing: countSchema,
  /** Listings whose stock was set to 0. */
  zeroed: countSchema,
  /** The first listings that no row names. */
  missingNames: z.array(z.string()).optional(),
  /** Listings after the rows were taken. */
  compared: countSchema.optional(),
  /** Listings that rows name whose product the marketplace has refused as missing, and those that it has not answered yet. */
  refused: countSchema.optional(),
  unanswered: countSchema.optional(),
  /** The first of both, after those of rejected rows that the store does not have. */
  unknownNames: z.array(z.string()).optional(),
  /** Of all rows, and of the zeros. Absent before the first valid row. */
  version: fileVersionSchema.optional(),
  /** The last target that was counted or set to 0 in this state. */
  after: z.string().optional(),
  /** Targets of rejected rows: their stock stays. */
  spared: z.array(z.string()),
  /** Positions of those of them that none of the compared listings has. */
  sparedUnknown: z.array(countSchema).optional(),
  /** Whether further rejected rows name a listing that is not among `spared`, or none that can be read. */
  isSparedIncomplete: z.boolean(),
  hold: importHoldSchema.optional(),
});
export type FullFile = z.infer<typeof fullFileSchema>;

/** How the numbers of a file are read whose rows have signs of two notations. Its unambiguous rows are sent all the same. */
const numbersSchema = z.object({
  /** Until a person says how the file writes numbers. */
  hold: importHoldSchema.optional(),
  /** The person has left the rows as they are. */
  isDiscarded: z.literal(true).optional(),
  /** What the person has said: the file is read for a second time. */
  notation: notationSchema.optional(),
  /** Rows and messages that were sent by then. */
  sentBefore: z.object({ sent: countSchema, commands: countSchema }).optional(),
});

/** The outcome of the sent rows of a file of stock or prices, as it was last looked at. All others are open. */
const followedRowsSchema = z.object({
  accepted: countSchema,
  /** Rows whose value was replaced by a newer one before it had an outcome. */
  superseded: countSchema,
  /** By change-intake and by the marketplace. */
  rejected: countsSchema,
  /** The first batches with rows of the file. */
  batches: z.array(z.string()),
  /** When the last row got its outcome. */
  endedAt: isoTimeSchema.optional(),
});
export type FollowedRows = z.infer<typeof followedRowsSchema>;
/** Before the first look. */
export const notFollowed: FollowedRows = { accepted: 0, superseded: 0, rejected: {}, batches: [] };

/** One put of a file into the import bucket. */
export const importRecordSchema = z.object({
  importId: z.string().min(1),
  /** `-` if the file's key names no store. */
  storeClientId: z.string().min(1),
  bucket: z.string(),
  key: z.string(),
  putAt: isoTimeSchema,
  /** When the first delivery began to read it. */
  startedAt: isoTimeSchema,
  /** While the file is read: the position up to which every row was queued or rejected. Reading continues from there. */
  progress: readingCountsSchema.extend({ position: filePositionSchema }).optional(),
  /** Invocations that used up their time and ended no section, since the last one that did. */
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
  /** Only of a stock file under `full/`. */
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
  /** When a person has left it, although it had failed. */
  leftAt: isoTimeSchema.optional(),
  /** Only of a file of stock or prices that was read to its end, if rows of it were sent. */
  followed: followedRowsSchema.optional(),
});
export type ImportRecord = z.infer<typeof importRecordSchema>;

/** The files of a store that are being read, each by one invocation. */
export const readingPlacesSchema = z.object({
  storeClientId: z.string().min(1),
  places: z.array(
    z.object({
      importId: z.string(),
      /** When the invocation is over, also one that crashed. */
      until: epochMsSchema,
    }),
  ),
});
export type ReadingPlaces = z.infer<typeof readingPlacesSchema>;

/** Whether an import waits for a person. */
export function isHeld({ full, numbers }: Pick<ImportRecord, 'full' | 'numbers'>): boolean {
  return full?.state === 'held' || numbers?.hold !== undefined;
}

/** Orders the puts of files, the last first: by their time, which has whole seconds, then by S3's sequencer, compared as text. */
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
 * Whether a file could not be read to its end, or none of its rows was sent, and no person has left it so. A dry run never has
 * failed: it has no effect to miss. Nor has a file whose rows the marketplace has rejected: each of them has its rejection.
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
