import * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';
import { jsonBytes, packAll } from '../collections/packer.ts';
import { isObject } from '../collections/parse-json.ts';
import { answerMeta } from './fields.ts';
import { trackingId } from './tracking-ids.ts';

/** Longest name of a row in characters. No row with a longer name is ever sent. */
const MAX_NAME_LENGTH = 1_024;
const text = z.string().max(MAX_NAME_LENGTH).optional().catch(undefined);
/** Some senders write a whole number as a string. */
const count = z.preprocess(
  (given) => (typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : (given ?? undefined)),
  z.int().nonnegative().optional(),
);
/** A value that is not a whole number counts as absent. */
const wholeNumber = count.catch(undefined);
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

/** Merges the counts of several places in one body. Takes the fewest rows and the most failures, so that a contradiction settles no row. */
export function mergedCounts(given: readonly SummaryCounts[]): SummaryCounts {
  const merged: SummaryCounts = {};
  for (const name of summaryCounts.keyof().options) {
    const counts = given.flatMap((one) => one[name] ?? []);
    const isOfFailures = name === 'failed' || name === 'skipped' || name === 'pending';
    if (counts.length > 0) merged[name] = isOfFailures ? Math.max(...counts) : Math.min(...counts);
  }
  return merged;
}

/** Members that are read as lists of accepted or failed rows. */
const READ_LISTS: ReadonlySet<string> = new Set(['acceptedRows', 'successItems', 'errors']);
/** Other members that may count or list failures, by name: the specification does not show all answers (§4.3, 4.4, 4.6, 4.16). */
const OF_FAILURES = /^(failed|failures|rejected|skipped)(Count|Items|Rows|Products|Orders)?$/i;

/** Whether a body or its `data` denies success, also of a row in an unknown form. Such a body settles only the rows that it names. */
export function deniesSuccess(body: Readonly<Record<string, unknown>>): boolean {
  return isDenial(body) || Object.entries(body).some(([name, value]) => tellsFailure(name, value));
}

function isDenial({ success, error }: Readonly<Record<string, unknown>>): boolean {
  return success === false || Boolean(error);
}

function tellsFailure(name: string, value: unknown): boolean {
  if (READ_LISTS.has(name)) return false;
  if (!Array.isArray(value)) return typeof value === 'number' && value > 0 && OF_FAILURES.test(name);
  if (OF_FAILURES.test(name)) return value.length > 0;
  return value.some((one) => isObject(one) && isDenial(one));
}

/** Whether a body tells anything about its rows. */
export function tellsOutcome({ success, data }: { success?: unknown; data?: unknown }): boolean {
  return success === true || (data ?? undefined) !== undefined;
}
export const NO_OUTCOME = 'neither success nor data';

/** Whether neither an answer about one thing nor its `data` denies success. */
export function tellsNoDenial({ data, ...envelope }: { readonly data?: object | null | undefined }): boolean {
  return ![envelope, { ...data }].some(isDenial);
}
export const DENIAL = 'it denies success';

/** Counts no row, so that rows that the report does not name are unknown. */
const UNREADABLE_COUNTS: SummaryCounts = { total: 0 };

/** The counts of a summary, if it has any. Counts that can't be read settle no row. A value that is not an object has no counts. */
export const reportedCounts = summaryCounts
  .optional()
  .catch(({ value }) => (isObject(value) ? UNREADABLE_COUNTS : undefined));

/** The same for an answer. */
export const answeredCounts = summaryCounts.catch(({ value }) =>
  value === null || value === undefined ? {} : UNREADABLE_COUNTS,
);

/** An element of `acceptedRows` or `successItems` (§2). `rowIndex` is the position in the request, from 0. */
export const acceptedRow = z.looseObject({
  rowIndex: wholeNumber,
  externalId: text,
  sku: text,
  id: text,
  orderId: text,
  invoiceNumber: text,
  /** `product` or `variant`. */
  target: text,
});

/** Most bytes of the details of one error. */
const MAX_DETAILS_BYTES = 2000;
/**
 * Row errors of one answer or summary with more bytes of JSON are shortened. A batch's record holds the errors of both in an item of 400
 * KB, even if they don't compress.
 */
const MAX_ROWS_BYTES = 200_000;
const SHORT_MESSAGE_LENGTH = 50;
/** Most bytes of shortened row errors. The errors of 1,000 rows, the most in a request, need less. */
const MAX_SHORT_ROWS_BYTES = 400_000;

/** A text, cut off to the length that records and events hold. */
export const cutText = z.string().transform((long) => cutOff(long));
const anyText = cutText.optional().catch(undefined);

const rowDetails = z.looseObject({
  retryable: z.boolean().optional().catch(undefined),
  context: z
    .looseObject({ reason: text, retryable: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type RowDetails = z.infer<typeof rowDetails>;

/**
 * An element of `errors` (§2, §4.17). Every row gets a `code`. Without a code it gets the `reason` of a dropoff, without a reason
 * `UNKNOWN`. Details of more than 2,000 bytes are cut down to `retryable`.
 */
export const rowError = z
  .looseObject({
    code: anyText,
    message: anyText,
    rowIndex: wholeNumber,
    id: text,
    sku: text,
    externalId: text,
    orderId: text,
    invoiceNumber: text,
    reason: anyText,
    details: rowDetails
      .transform((details) => (jsonBytes(details) <= MAX_DETAILS_BYTES ? details : cut(details)))
      .optional()
      .catch(undefined),
  })
  .transform((row) => ({ ...row, code: row.code ?? row.reason ?? 'UNKNOWN' }));
export type RowError = z.infer<typeof rowError>;

const UNREADABLE_ERROR: RowError = { code: 'UNKNOWN', message: 'the error is no object' };

function cut({ retryable, context }: RowDetails): RowDetails {
  return { retryable: retryable ?? context?.retryable, isCut: true };
}

/**
 * Cuts row errors, the longest first, to the size that a record can hold: first the details down to `retryable`, then the messages. If
 * that is not enough, one error without a row replaces the last ones, so that no failure is dropped.
 */
export function limitSize(rows: RowError[]): RowError[] {
  const short = shorten(shorten(rows, withoutDetails), withShortMessage);
  const [kept = [], ...others] = packAll(short, { maxBytes: MAX_SHORT_ROWS_BYTES });
  if (others.length === 0) return short;
  return [...kept, { code: 'UNKNOWN', message: `${short.length - kept.length} more errors` }];
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
  return { ...row, message: row.message && cutOff(row.message, SHORT_MESSAGE_LENGTH) };
}

/** Also drops unknown fields. */
function withoutDetails({ details, ...row }: RowError): RowError {
  const { code, message, rowIndex, id, sku, externalId, orderId, invoiceNumber, reason } = row;
  const facts = { code, message, rowIndex, id, sku, externalId, orderId, invoiceNumber, reason };
  return { ...facts, details: details && cut(details) };
}

/** Whether a row with this error may have been applied: an upstream did not answer in time (§7). */
export function mayBeApplied({ code }: { code?: string | undefined }): boolean {
  return code === 'SYS_UPS_001';
}

/** Codes of a service that is down (§7), also in the error of a row. */
const TEMPORARY = /^SYS_(DEP_503|UPS_001)$/;

/** Whether the row may succeed when it is sent again. Its error says so in one of two places (§2, §7); otherwise its code decides. */
export function isRowRetryable({
  code = '',
  details,
}: {
  code?: string | undefined;
  details?: Record<string, unknown> | undefined;
}): boolean {
  const { retryable, context } = rowDetails.safeParse(details).data ?? {};
  return retryable ?? context?.retryable ?? TEMPORARY.test(code);
}

/** At most this many elements of a list of rows are read, a hundred times the rows of a request. Millions would take a minute. */
const MOST_LISTED = 100_000;
/** Stands for the elements that were cut off. With it, rows that the kept elements do not name are unknown. */
const UNREAD = null;

/** A list that may be missing. Any other value counts as its only element. */
const listed = z
  .array(z.unknown())
  .catch(({ value }) => [value ?? []].flat())
  .transform((list) => (list.length > MOST_LISTED ? [...list.slice(0, MOST_LISTED), UNREAD] : list));

/** `acceptedRows` or `successItems`. An unreadable element names no row, but shows that rows are listed. */
export const acceptedRows = listed.transform((rows) =>
  rows.map((row) => acceptedRow.safeParse(row).data ?? {}),
);

/** The `errors` of an answer or a summary. An unreadable element becomes an error without a row: no failure is dropped. */
export const rowErrors = listed
  .transform((errors) => errors.map((error) => rowError.safeParse(error).data ?? UNREADABLE_ERROR))
  .transform(limitSize);

/**
 * `data` of an ASYNC answer (§4.3 – 4.6, 4.8, 4.9, 4.17), and of the answer to deletions (§4.10). No field is required, as §4.3, 4.4 and
 * 4.6 show no fields.
 */
const batchData = z
  .looseObject({
    batchId: trackingId,
    requestId: trackingId,
    summary: answeredCounts,
    acceptedRows,
    successItems: acceptedRows,
    errors: rowErrors,
  })
  .transform(({ successItems, ...data }) => ({
    ...data,
    acceptedRows: [...data.acceptedRows, ...successItems],
  }));

/** The lists of errors and the counts beside `data`. Other values beside `data` are not about rows. */
function readableOf({ errors, summary }: Record<string, unknown>) {
  return { ...(Array.isArray(errors) && { errors }), ...(isObject(summary) && { summary }) };
}

/**
 * Whether an answer tells anything about its rows: an ID of their batch, counts, or rows. A `requestId` in the envelope says nothing, as
 * every answer has one.
 */
function tellsRows(
  { batchId, requestId, acceptedRows, errors }: z.infer<typeof batchData>,
  summary: SummaryCounts,
  hasData: boolean,
): boolean {
  if (batchId !== undefined || (hasData && requestId !== undefined)) return true;
  return Object.keys(summary).length > 0 || acceptedRows.length > 0 || errors.length > 0;
}

/** @param otherwise the counts to use if the answer tells nothing about its rows. */
function bulkAnswer(otherwise: SummaryCounts) {
  return z
    .looseObject({
      success: z.boolean().optional(),
      requestId: trackingId,
      message: text,
      meta: answerMeta,
      data: batchData.nullish(),
    })
    .refine(tellsOutcome, NO_OUTCOME)
    .transform(({ data, ...envelope }) => {
      const { success, requestId, message, meta } = envelope;
      const batch = data ?? batchData.parse(envelope);
      // Failures beside `data` must not count as accepted.
      const beside = batchData.parse(data ? readableOf(envelope) : {});
      const summary = mergedCounts([batch.summary, beside.summary]);
      const errors = limitSize([...batch.errors, ...beside.errors]);
      const isTold = tellsRows({ ...batch, errors }, summary, (data ?? undefined) !== undefined);
      return {
        ...batch,
        summary: isTold ? summary : otherwise,
        errors,
        success: [envelope, batch].some(deniesSuccess) ? false : success,
        requestId: requestId ?? batch.requestId,
        message,
        meta,
      };
    });
}

/**
 * The answer to an ASYNC call. Has the fields of the envelope's `data`; without `data`, the fields of the envelope. Counts and errors come
 * from both places, `requestId`, `message` and `meta` from the envelope. Progress is tracked by the batch ID or the request
 * ID (§1); either may be missing. An answer that tells nothing about its rows settles none of them.
 */
export const batchAnswer = bulkAnswer(UNREADABLE_COUNTS);
export type BatchAnswer = z.infer<typeof batchAnswer>;

/** The answer to decisions (§4.16), read in the same way. The specification shows no rows in it, so its success settles all rows. */
export const decisionReport = bulkAnswer({});
