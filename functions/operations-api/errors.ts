import { definedOf } from '../../shared/collections/defined-of.ts';
import { ConnectorError } from '../../shared/errors/connector-error.ts';
import { HttpError, type HttpRequest } from '../../shared/lambda/http-handler.ts';
import { clientErrorCodes, MarketplaceError } from '../../shared/marketplace/errors.ts';
import { boundedDetails } from '../../shared/rejections/rules/bounded.ts';
import type { RequestFault } from '../../shared/requests/model.ts';

/** Statuses of the connector's own errors that the caller can act on. All other errors are faults of the connector. */
const STATUS_OF: Readonly<Record<string, number>> = {
  CURSOR_INVALID: 400,
  STORE_REQUIRED: 400,
  BODY_TOO_LARGE: 413,
  STORE_NOT_CONNECTED: 409,
  STORE_BUSY: 409,
  STORE_TRANSITION: 409,
  BATCH_UNKNOWN: 404,
  SUMMARY_UNKNOWN: 404,
  IMPORT_UNKNOWN: 404,
  IMPORT_NOT_HELD: 409,
  DECIMAL_REQUIRED: 400,
  DECIMAL_UNEXPECTED: 400,
  TRACE_UNKNOWN: 404,
  BATCH_OPEN: 409,
  BATCH_ENDED: 409,
  ROW_NOT_UNKNOWN: 409,
  ROWS_NOT_NAMED: 409,
  LISTING_UNKNOWN: 404,
  QUEUE_UNKNOWN: 404,
  LISTING_NOT_READABLE: 409,
  ROWS_NOT_KEPT: 409,
  NOTHING_TO_RETRY: 409,
  ORDER_OUTCOME_UNKNOWN: 409,
  DOCUMENT_BUSY: 409,
};

/** The `HttpError` for the caller of a route. A fault of the connector stays unchanged and becomes a 500. */
export function errorAnswer(error: unknown, { query }: Pick<HttpRequest, 'query'>): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof MarketplaceError) return marketplaceFailure(error);
  if (error instanceof ConnectorError) {
    const status = STATUS_OF[error.code];
    return status === undefined ? error : new HttpError(status, error.code, error.message, { cause: error });
  }
  // DynamoDB answers with this error if the cursor comes from another list.
  if (error instanceof Error && error.name === 'ValidationException' && query.cursor !== undefined) {
    return new HttpError(400, 'CURSOR_INVALID', 'cursor: must be the cursor of an earlier page', {
      cause: error,
    });
  }
  return error;
}

function marketplaceFailure(error: MarketplaceError): HttpError {
  const { code, message, requestId, hint, context, outcome, retryAfterMs } = error;
  const details = {
    marketplace: {
      outcome,
      ...(requestId !== undefined && { requestId }),
      ...(hint !== undefined && { hint }),
      ...(context && { context: boundedDetails(context) }),
    },
  };
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return new HttpError(statusOfFailure(error), code, message, { details, headers, cause: error });
}

/** The `HttpError` for a request of a command that was not accepted. `details` has the marketplace's answer, if there was one. */
export function requestFailure(fault: RequestFault, outcome: 'refused' | 'unknown' = 'refused'): HttpError {
  const { code, message, status, requestId, details } = fault;
  const isAnswered = requestId !== undefined || details !== undefined;
  const { hint, ...rest } = details ?? {};
  const context = hint === undefined ? details : rest;
  const marketplace = { outcome, ...definedOf({ requestId, hint, context }) };
  return new HttpError(statusOfFailure({ code, status, outcome }), code, message, {
    ...(isAnswered && { details: { marketplace } }),
  });
}

/**
 * Statuses for the codes of a failed call (§7, and the client's own codes). The marketplace's status does not matter. 503: a retry may
 * succeed; 504: no answer in time.
 */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  [clientErrorCodes.requestInvalid]: 400,
  [clientErrorCodes.limitReached]: 503,
  [clientErrorCodes.tablesRestored]: 503,
  [clientErrorCodes.aborted]: 504,
  COMMAND_DISCARDED: 409,
  VAL_001: 400,
  PRD_014: 404,
  WAREHOUSE_013: 409,
  STORE_020: 404,
  STORE_021: 409,
  ORDER_021: 409,
  ORDER_026: 422,
  SYS_DEP_503: 503,
  SYS_UPS_001: 504,
};

/**
 * The status for a failed call of the marketplace. A refusal with an unlisted code keeps the marketplace's 4xx status. Any
 * other failure is 502, or 504 if its outcome is unknown.
 */
export function statusOfFailure({
  code,
  status,
  outcome,
}: Pick<MarketplaceError, 'code' | 'status' | 'outcome'>): number {
  // The code is about the partner's credentials, which the caller of a route can't correct.
  if (/^(AUTH|SECRET)_/.test(code)) return 502;
  const known = STATUS_OF_CODE[code];
  if (known !== undefined) return known;
  // Passed on, 401 or 403 would look like a fault of the caller's own credentials.
  if (status === 401 || (status === 403 && code.startsWith('HTTP_'))) return 502;
  if (outcome === 'refused' && status !== undefined && status >= 400 && status < 500) return status;
  return outcome === 'unknown' ? 504 : 502;
}
