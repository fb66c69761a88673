import { z } from 'zod';

const text = z.string().optional().catch(undefined);
const count = z.int().nonnegative().optional().catch(undefined);

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
  rowIndex: count,
  externalId: text,
  sku: text,
  id: text,
  /** `product` or `variant`. */
  target: text,
});

/** What is kept of a row error's words at most, so that a record of many rows stays within bounds. */
const MAX_MESSAGE_LENGTH = 1000;
const MAX_DETAILS_BYTES = 2000;

/**
 * An element of `errors` (§2, §4.17). A dropoff's row names a `reason` instead of a `code`; `code` is then that
 * reason, so that every row has one. `UNKNOWN` stands where neither came. Of
 * details beyond 2,000 bytes only `retryable` is kept.
 */
export const rowError = z
  .looseObject({
    code: text,
    message: z
      .string()
      .transform((message) => message.slice(0, MAX_MESSAGE_LENGTH))
      .optional()
      .catch(undefined),
    rowIndex: count,
    id: text,
    sku: text,
    externalId: text,
    orderId: text,
    invoiceNumber: text,
    reason: text,
    details: z
      .looseObject({
        retryable: z.boolean().optional().catch(undefined),
        context: z.looseObject({ reason: text }).optional().catch(undefined),
      })
      .transform((details) => (isBounded(details) ? details : { retryable: details.retryable, isCut: true }))
      .optional()
      .catch(undefined),
  })
  .transform((row) => ({ ...row, code: row.code ?? row.reason ?? 'UNKNOWN' }));
export type RowError = z.infer<typeof rowError>;

function isBounded(details: object): boolean {
  return Buffer.byteLength(JSON.stringify(details)) <= MAX_DETAILS_BYTES;
}

/** Whether the row may succeed when sent again: only where the marketplace says so. */
export function isRowRetryable(row: RowError): boolean {
  return row.details?.retryable === true;
}

/** A list that may be missing; elements that are no objects are left out. */
export function rowsOf<Row extends z.ZodType>(row: Row) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((rows) => rows.flatMap((candidate) => row.safeParse(candidate).data ?? []));
}

/** `data` of an ASYNC answer (§4.3 – 4.6, 4.8, 4.9, 4.17). Nothing is insisted on, as §4.3, 4.4 and 4.6 show nothing. */
const batchData = z.looseObject({
  batchId: text,
  requestId: text,
  summary: summaryCounts.catch({}),
  acceptedRows: rowsOf(acceptedRow),
  errors: rowsOf(rowError),
});

/**
 * The answer to an ASYNC call: `data` of the envelope, with the envelope's `requestId`, `message` and `meta` beside
 * it. The batch ID or the request ID is what progress is tracked by (§1); either may be missing.
 */
export const batchAnswer = z
  .looseObject({
    success: z.boolean().optional(),
    requestId: text,
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
