import * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';
import { cutText, limitSize, reportedCounts, rowError } from './batch.ts';
import { answerList } from './fields.ts';

/**
 * Whether a failed call was applied.
 * - `refused`: sent, but the marketplace did not apply it;
 * - `not-sent`: never sent;
 * - `unknown`: it may have been applied.
 */
export type Outcome = 'refused' | 'not-sent' | 'unknown';

/** The client's own error codes. All other codes are the marketplace's (§7). */
export const clientErrorCodes = {
  /** The request breaks a rule of the specification and was not sent; see `context.validationErrors`. */
  requestInvalid: 'REQUEST_INVALID',
  limitReached: 'LIMIT_REACHED',
  /** Nothing but reads is sent from restored tables until a person ends the restore. */
  tablesRestored: 'TABLES_RESTORED',
  aborted: 'ABORTED',
  timeout: 'TIMEOUT',
  /** No connection could be made: refused, unknown host, TLS. */
  connectFailed: 'CONNECT_FAILED',
  /** The connection ended before the answer was complete. */
  connectionCut: 'CONNECTION_CUT',
  answerTooLarge: 'ANSWER_TOO_LARGE',
  answerEmpty: 'ANSWER_EMPTY',
  /** The answer is not JSON, by its content type or by its content. */
  answerNotJson: 'ANSWER_NOT_JSON',
  /** The answer is JSON of an unspecified shape. */
  answerUnexpected: 'ANSWER_UNEXPECTED',
  /** The marketplace answered with a redirect, which is never followed: a signature is for one path. */
  redirected: 'REDIRECTED',
  /** A document's answer is not a PDF, by its content type or by its first 1,024 bytes. */
  documentNotPdf: 'DOCUMENT_NOT_PDF',
  documentTooLarge: 'DOCUMENT_TOO_LARGE',
  documentEmpty: 'DOCUMENT_EMPTY',
  /** A document ends without the end mark of a PDF: it was cut off. */
  documentIncomplete: 'DOCUMENT_INCOMPLETE',
} as const;

/** The marketplace's code for a product that does not exist (§4.10, 4.12, 4.13). */
export const PRODUCT_NOT_FOUND = 'PRD_014';

/** Smaller times are taken for seconds: as milliseconds they would lie before March 1973. */
const FIRST_PLAUSIBLE_MS = 1e11;

/** A time in an error's context: milliseconds, seconds or ISO 8601, as the specification does not show its form. */
const epochMs = z
  .union([z.number(), z.string().transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)))])
  .pipe(z.number())
  .transform((time) => (time < FIRST_PLAUSIBLE_MS ? time * 1000 : time));

/** Most problems of a refused body, and most characters of the name and of the text of one. */
const MOST_PROBLEMS = 50;
const MAX_PROBLEM_LENGTH = 300;

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
    .record(z.string(), z.coerce.string())
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
  /** ORDER_026: the skipped rows. Absent if one is unreadable, as its order would otherwise count as accepted. */
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

/** The facts of a failed call. An answer brings `status` and the fields after it. */
export interface MarketplaceErrorOptions {
  /** The marketplace's code (§7), one of {@link clientErrorCodes}, or `HTTP_<status>` for an answer without a code. */
  readonly code: string;
  readonly message: string;
  readonly outcome: Outcome;
  /** Whether the same request may succeed later. Whether a retry may apply it twice follows from `outcome`. */
  readonly retryable: boolean;
  readonly status?: number | undefined;
  /** To quote when contacting the marketplace's support. */
  readonly requestId?: string | undefined;
  /** By the marketplace's clock, as ISO 8601. */
  readonly timestamp?: string | undefined;
  readonly hint?: string | undefined;
  /** Unknown fields are kept. */
  readonly context?: ErrorContext | undefined;
  /** Time that the marketplace asked to wait. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Any failure of a call to the marketplace, identified by `code`. */
export class MarketplaceError extends Error implements MarketplaceErrorOptions {
  override readonly name = 'MarketplaceError';
  declare readonly code: string;
  declare readonly outcome: Outcome;
  declare readonly retryable: boolean;
  declare readonly status: number | undefined;
  declare readonly requestId: string | undefined;
  declare readonly timestamp: string | undefined;
  declare readonly hint: string | undefined;
  declare readonly context: ErrorContext | undefined;
  declare readonly retryAfterMs: number | undefined;

  constructor({ message, cause, ...facts }: MarketplaceErrorOptions) {
    super(cutOff(message), cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }
}

/** Why a transport got no complete answer. */
export type TransportFailure = keyof Pick<
  typeof clientErrorCodes,
  'aborted' | 'timeout' | 'connectFailed' | 'connectionCut' | 'answerTooLarge'
>;

/** A transport's error, which the client turns into a {@link MarketplaceError}. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly reason: TransportFailure;
  /** Whether any byte of the request may have left. */
  readonly sent: boolean;

  constructor(reason: TransportFailure, message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.sent = options.sent;
  }
}

export function fromTransportError(error: TransportError): MarketplaceError {
  return new MarketplaceError({
    code: clientErrorCodes[error.reason],
    message: error.message,
    outcome: error.sent ? 'unknown' : 'not-sent',
    retryable: error.reason !== 'aborted' && error.reason !== 'answerTooLarge',
    cause: error,
  });
}
