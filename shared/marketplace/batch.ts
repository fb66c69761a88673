import { createHash } from 'node:crypto';
import { z } from 'zod';
import { jsonBytes } from '../collections/packer.ts';

const text = z.string().optional().catch(undefined);
const count = z.int().nonnegative().optional().catch(undefined);
/** Longest ID in bytes that fits into a table's key behind a prefix. */
const MAX_ID_BYTES = 500;

/**
 * An ID that tracks progress (§1). Some senders write it as a number. An empty ID counts as absent. Answers and summaries
 * replace an ID by its digest if it is too long for a key or begins like one of our own keys.
 */
export const trackingId = z
  .union([z.string().min(1), z.number().transform(String)])
  .transform((id) => (Buffer.byteLength(id) > MAX_ID_BYTES || id.startsWith('request:') ? digestOf(id) : id))
  .optional()
  .catch(undefined);

function digestOf(id: string): string {
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

/** A position in the request, from 0. Some senders write it as a string. Any other value counts as absent. */
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

/** Limits of one row error. */
const MAX_MESSAGE_LENGTH = 1000;
const MAX_DETAILS_BYTES = 2000;
/**
 * Most bytes of JSON for all row errors of one answer or summary. A batch's record holds both in an item of 400 KB, even
 * if they don't compress.
 */
const MAX_ROWS_BYTES = 200_000;
const SHORT_MESSAGE_LENGTH = 50;

const rowDetails = z.looseObject({
  retryable: z.boolean().optional().catch(undefined),
  context: z.looseObject({ reason: text }).optional().catch(undefined),
});
type RowDetails = z.infer<typeof rowDetails>;

/**
 * An element of `errors` (§2, §4.17). Every row gets a `code`: a dropoff's `reason` if it has none, `UNKNOWN` if it has
 * neither. Details of more than 2,000 bytes are cut down to `retryable`.
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
 * Cuts row errors to the size that a record can hold, the longest first: their details down to `retryable`, then, if that
 * is not enough, their messages.
 */
export function limitSize(rows: RowError[]): RowError[] {
  return shorten(shorten(rows, withoutDetails), withShortMessage);
}

/** Applies `shorter` to rows, the longest first, until all fit. */
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

/** Drops unknown fields as well. */
function withoutDetails({ details, ...row }: RowError): RowError {
  const { code, message, rowIndex, id, sku, externalId, orderId, invoiceNumber, reason } = row;
  const facts = { code, message, rowIndex, id, sku, externalId, orderId, invoiceNumber, reason };
  return { ...facts, details: details && cut(details) };
}

/** Whether the marketplace says that the row may succeed when sent again. */
export function isRowRetryable({ details }: { details?: Record<string, unknown> | undefined }): boolean {
  return details?.retryable === true;
}

/** A list that may be missing. Elements of another shape are left out. */
export function rowsOf<Row extends z.ZodType>(row: Row) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((rows) => rows.flatMap((candidate) => row.safeParse(candidate).data ?? []));
}

/** The `errors` of an answer or a summary. An unreadable element becomes an error without a row: no failure is dropped. */
export const rowErrors = z
  .array(z.unknown())
  .catch(({ value }) => [value ?? []].flat())
  .transform((errors) => errors.map((error) => rowError.safeParse(error).data ?? UNREADABLE_ERROR))
  .transform(limitSize);

/** `data` of an ASYNC answer (§4.3 – 4.6, 4.8, 4.9, 4.17). No field is required, as §4.3, 4.4 and 4.6 show none. */
const batchData = z.looseObject({
  batchId: trackingId,
  requestId: trackingId,
  summary: summaryCounts.catch({}),
  acceptedRows: rowsOf(acceptedRow),
  errors: rowErrors,
});

/**
 * The answer to an ASYNC call: the fields of the envelope's `data`, and the envelope's `requestId`, `message` and `meta`.
 * Progress is tracked by the batch ID or the request ID (§1); either may be missing.
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
