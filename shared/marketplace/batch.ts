import { createHash } from 'node:crypto';
import { z } from 'zod';
import { jsonBytes } from '../collections/packer.ts';

const text = z.string().optional().catch(undefined);
const count = z.int().nonnegative().optional().catch(undefined);
/** Most bytes of an ID that a table's key takes, with room for what stands before it. */
const MAX_ID_BYTES = 500;

/**
 * An ID that tracks progress (§1). Some senders write it as a number. An empty ID counts as absent. An ID that is too long
 * for a key, or looks like a key of ours, is replaced by its digest, in answers and in summaries.
 */
export const trackingId = z
  .union([z.string().min(1), z.number().transform(String)])
  .transform((id) => (Buffer.byteLength(id) > MAX_ID_BYTES || id.startsWith('request:') ? digestOf(id) : id))
  .optional()
  .catch(undefined);

function digestOf(id: string): string {
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

/** A position in the request, from 0, which some senders write as a string; anything else names no row. */
const position = z
  .union([
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .optional()
  .catch(undefined);

/**
 * Counts of a batch (§2): `total`, `failed`, `pending` for products, prices and stocks; `total`, `accepted`,
 * `skipped` for dropoffs; `total`, `succeeded`, `failed` for deletions.
 */
export const summaryCounts = z.looseObject({
  total: count,
  failed: count,
  pending: count,
  accepted: count,
  skipped: count,
  succeeded: count,
});
export type SummaryCounts = z.infer<typeof summaryCounts>;

/** An element of `acceptedRows` or `successItems` (§2). `rowIndex` is the position in the request, from 0. */
export const acceptedRow = z.looseObject({
  rowIndex: position,
  externalId: text,
  sku: text,
  id: text,
  /** `product` or `variant`. */
  target: text,
});

/** What is kept of a row error's words at most. */
const MAX_MESSAGE_LENGTH = 1000;
const MAX_DETAILS_BYTES = 2000;
/**
 * Bytes of JSON that the row errors of one answer or summary take at most before their words are cut further: a batch's
 * record holds those of both, of 1,000 rows, in 400 KB, be they words that no compression shortens.
 */
const MAX_ROWS_BYTES = 200_000;
const SHORT_MESSAGE_LENGTH = 50;

const rowDetails = z.looseObject({
  retryable: z.boolean().optional().catch(undefined),
  context: z.looseObject({ reason: text }).optional().catch(undefined),
});
type RowDetails = z.infer<typeof rowDetails>;

/**
 * An element of `errors` (§2, §4.17). A dropoff's row names a `reason` instead of a `code`; `code` is then that
 * reason, so that every row has one. `UNKNOWN` stands where neither came. Of details beyond 2,000 bytes only `retryable`
 * is kept.
 */
export const rowError = z
  .looseObject({
    code: text,
    message: z
      .string()
      .transform((message) => message.slice(0, MAX_MESSAGE_LENGTH))
      .optional()
      .catch(undefined),
    rowIndex: position,
    id: text,
    sku: text,
    externalId: text,
    orderId: text,
    invoiceNumber: text,
    reason: text,
    details: rowDetails
      .transform((details) => (jsonBytes(details) <= MAX_DETAILS_BYTES ? details : cut(details)))
      .optional()
      .catch(undefined),
  })
  .transform((row) => ({ ...row, code: row.code ?? row.reason ?? 'UNKNOWN' }));
export type RowError = z.infer<typeof rowError>;

const UNREADABLE_ERROR: RowError = { code: 'UNKNOWN', message: 'the error is no object' };

function cut({ retryable }: RowDetails): RowDetails {
  return { retryable, isCut: true };
}

/**
 * Row errors with as much of their words as a record has room for: of the longest ones the details are left out but for
 * `retryable`, and where that is not enough the ends of messages.
 */
export function withinRoom(rows: RowError[]): RowError[] {
  return shorten(shorten(rows, withoutDetails), withShortMessage);
}

/** Has rows made shorter, the longest first, until all have room. */
function shorten(rows: RowError[], shorter: (row: RowError) => RowError): RowError[] {
  let excess = jsonBytes(rows) - MAX_ROWS_BYTES;
  if (excess <= 0) return rows;
  const sizes = new Map(rows.map((row) => [row, jsonBytes(row)]));
  const sizeOf = (row: RowError) => sizes.get(row) ?? 0;
  const shortened = new Map<RowError, RowError>();
  for (const row of rows.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    if (excess <= 0) break;
    shortened.set(row, shorter(row));
    excess -= sizeOf(row) - jsonBytes(shortened.get(row));
  }
  return rows.map((row) => shortened.get(row) ?? row);
}

function withShortMessage(row: RowError): RowError {
  return { ...row, message: row.message?.slice(0, SHORT_MESSAGE_LENGTH) };
}

/** What the row is and why it failed, without anything else that came with it. */
function withoutDetails({ details, ...row }: RowError): RowError {
  const { code, message, rowIndex, id, sku, externalId, orderId, invoiceNumber, reason } = row;
  const facts = { code, message, rowIndex, id, sku, externalId, orderId, invoiceNumber, reason };
  return { ...facts, details: details && cut(details) };
}

/** Whether the row may succeed when sent again: only where the marketplace says so. */
export function isRowRetryable({ details }: { details?: Record<string, unknown> | undefined }): boolean {
  return details?.retryable === true;
}

/** A list that may be missing; elements that are no objects are left out. */
export function rowsOf<Row extends z.ZodType>(row: Row) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((rows) => rows.flatMap((candidate) => row.safeParse(candidate).data ?? []));
}

/** The `errors` of an answer or a summary. What is no row error is one that names no row: a failure is never dropped. */
export const rowErrors = z
  .array(z.unknown())
  .catch(({ value }) => [value ?? []].flat())
  .transform((errors) => errors.map((error) => rowError.safeParse(error).data ?? UNREADABLE_ERROR))
  .transform(withinRoom);

/** `data` of an ASYNC answer (§4.3 – 4.6, 4.8, 4.9, 4.17). Nothing is insisted on, as §4.3, 4.4 and 4.6 show nothing. */
const batchData = z.looseObject({
  batchId: trackingId,
  requestId: trackingId,
  summary: summaryCounts.catch({}),
  acceptedRows: rowsOf(acceptedRow),
  errors: rowErrors,
});

/**
 * The answer to an ASYNC call: `data` of the envelope, with the envelope's `requestId`, `message` and `meta` beside
 * it. The batch ID or the request ID is what progress is tracked by (§1); either may be missing.
 */
export const batchAnswer = z
  .looseObject({
    success: z.boolean().optional(),
    requestId: trackingId,
    message: text,
    meta: z
      .looseObject({ dispatch: z.boolean().optional().catch(undefined) })
      .optional()
      .catch(undefined),
    data: batchData.optional(),
  })
  .refine((answer) => answer.success === true || answer.data !== undefined, 'neither success nor data')
  .transform(({ data, requestId, message, meta }) => ({
    ...(data ?? { summary: {}, acceptedRows: [], errors: [] }),
    requestId: requestId ?? data?.requestId,
    message,
    meta,
  }));
export type BatchAnswer = z.infer<typeof batchAnswer>;
