import { z } from 'zod';
import { rowError, summaryCounts, withinRoom } from './batch.ts';

/** `meta` of an answer (§1). */
const meta = z.looseObject({
  timestamp: z.string().optional().catch(undefined),
  /** Milliseconds. */
  durationMs: z.number().optional().catch(undefined),
  /** Whether events were dispatched (§6). */
  dispatch: z.boolean().optional().catch(undefined),
});

/**
 * The standard success envelope around `data` (§1). Only `data` is insisted on: what else is missing does no harm.
 *
 * @param data schema of the endpoint's own data.
 */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.looseObject({
    success: z.boolean().optional(),
    message: z.string().optional().catch(undefined),
    requestId: z.string().optional().catch(undefined),
    meta: meta.optional().catch(undefined),
    data,
  });
}

/** Times below this, in 1973 if they were milliseconds, are taken for seconds. */
const FIRST_PLAUSIBLE_MS = 1e11;

/** A time in an error's context, whose form the spec does not show: milliseconds, seconds or ISO 8601. */
const epochMs = z
  .union([z.number(), z.string().transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)))])
  .pipe(z.number())
  .transform((time) => (time < FIRST_PLAUSIBLE_MS ? time * 1000 : time));

/** `error.details.context` (§4, §7): the parts that the spec names, parsed; everything else as it came. */
const errorContext = z.looseObject({
  /** AUTH_003: the `x-timestamp` received, epoch milliseconds. */
  providedTimestamp: epochMs.optional().catch(undefined),
  /** AUTH_003: the marketplace's clock, epoch milliseconds. */
  currentTime: epochMs.optional().catch(undefined),
  /** AUTH_003: seconds between the two. */
  ageSeconds: z.number().optional().catch(undefined),
  /** VAL_001: what is wrong, by field. */
  validationErrors: z.record(z.string(), z.coerce.string()).optional().catch(undefined),
  /** ORDER_021: the order states in which the operation is allowed. */
  allowedSubstatuses: z.array(z.string()).optional().catch(undefined),
  orderId: z.string().optional().catch(undefined),
  /** SYS_DEP_503: the upstream operation that failed. */
  operation: z.string().optional().catch(undefined),
  /** ORDER_026: counts of the rows. */
  summary: summaryCounts.optional().catch(undefined),
  /** ORDER_026: the skipped rows; none where one can not be read, as the row that it is about would pass for taken. */
  errors: z.array(rowError).transform(withinRoom).optional().catch(undefined),
  /** SYS_UPS_001: whether to try again. */
  retryable: z.boolean().optional().catch(undefined),
});
export type ErrorContext = z.infer<typeof errorContext>;

/** The standard error envelope (§1); only `error.code` is insisted on. */
export const errorEnvelope = z.looseObject({
  error: z.looseObject({
    code: z.string().min(1),
    message: z.string().optional().catch(undefined),
    details: z
      .looseObject({
        timestamp: z.string().optional().catch(undefined),
        hint: z.string().optional().catch(undefined),
        context: errorContext.optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
  requestId: z.string().optional().catch(undefined),
});
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
