import * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';
import { cutText, limitSize, reportedCounts, rowError } from './batch.ts';
import { answerList } from './fields.ts';

/** Smaller times are read as seconds: as milliseconds they would be before March 1973. */
const FIRST_PLAUSIBLE_MS = 1e11;

/** A time in an error's context: milliseconds, seconds or ISO 8601, as the specification does not show its form. */
const epochMs = z
  .union([z.number(), z.string().transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)))])
  .pipe(z.number())
  .transform((time) => (time < FIRST_PLAUSIBLE_MS ? time * 1000 : time));

/** Most problems that are read of a refused body. */
const MOST_PROBLEMS = 50;
/** Most characters of the name and of the text of a problem. */
const MAX_PROBLEM_LENGTH = 300;

/** A problem as a text: some answers have a list of texts, or an object. */
function inWords(problem: unknown): string {
  return typeof problem === 'string' ? problem : (JSON.stringify(problem) ?? '');
}

function firstProblems(problems: Readonly<Record<string, string>>): Record<string, string> {
  const first = Object.entries(problems).slice(0, MOST_PROBLEMS);
  return Object.fromEntries(first.map((names) => names.map((text) => cutOff(text, MAX_PROBLEM_LENGTH))));
}

/** `error.details.context` (§4, §7): the specified fields, parsed, and all others unchanged. */
const errorContext = z.looseObject({
  /** AUTH_003: the `x-timestamp` received, epoch milliseconds. */
  providedTimestamp: epochMs.optional().catch(undefined),
  /** AUTH_003: the marketplace's clock, epoch milliseconds. */
  currentTime: epochMs.optional().catch(undefined),
  /** AUTH_003: seconds between the two. */
  ageSeconds: z.number().optional().catch(undefined),
  /** VAL_001: problems by field, the first 50. */
  validationErrors: z
    .record(z.string(), z.unknown().transform(inWords))
    .transform(firstProblems)
    .optional()
    .catch(undefined),
  /** ORDER_021: the order states in which the operation is allowed. */
  allowedSubstatuses: z.array(z.string()).optional().catch(undefined),
  orderId: z.string().optional().catch(undefined),
  /** SYS_DEP_503: the upstream operation that failed. */
  operation: z.string().optional().catch(undefined),
  /** ORDER_026: counts of the rows. */
  summary: reportedCounts.optional(),
  /** ORDER_026: the skipped rows. Absent if one of them is unreadable: its order would otherwise count as accepted. */
  errors: answerList(rowError).transform(limitSize).optional().catch(undefined),
  /** SYS_UPS_001: whether to try again. */
  retryable: z.boolean().optional().catch(undefined),
});
export type ErrorContext = z.infer<typeof errorContext>;

const text = cutText.optional().catch(undefined);

/** The standard error envelope (§1). Only `error.code` is required. */
export const errorEnvelope = z.looseObject({
  error: z.looseObject({
    code: z.string().min(1).pipe(cutText),
    message: text,
    details: z
      .looseObject({
        timestamp: text,
        hint: text,
        context: errorContext.optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
  requestId: z
    .union([z.string(), z.number().transform(String)])
    .pipe(cutText)
    .optional()
    .catch(undefined),
});
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
