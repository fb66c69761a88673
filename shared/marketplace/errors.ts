import { cutOff } from '../collections/cut-off.ts';
import type { ErrorContext } from './error-envelope.ts';

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
  /** The tables were restored: until a person ends the restore, only reads are sent. */
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

/** The facts of a failed call. `status` and the fields after it come from the answer. */
export interface MarketplaceErrorOptions {
  /** The marketplace's code (§7), one of {@link clientErrorCodes}, or `HTTP_<status>` for an answer without a code. */
  readonly code: string;
  readonly message: string;
  readonly outcome: Outcome;
  /** Whether the same request may succeed later. Whether a retry may apply it twice follows from `outcome`. */
  readonly retryable: boolean;
  readonly status?: number | undefined;
  /** The ID to quote to the marketplace's support. */
  readonly requestId?: string | undefined;
  /** Time of the answer by the marketplace's clock, as ISO 8601. */
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

/** What the marketplace said about a failure besides code and message: its hint (§1) and its context; `undefined` without both. */
export function detailsOf({
  hint,
  context,
}: Pick<MarketplaceError, 'hint' | 'context'>): Record<string, unknown> | undefined {
  if (hint === undefined) return context;
  return { hint, ...context };
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
