import { ConnectorError } from '../../shared/errors/connector-error.ts';
import { HttpError, type HttpRequest } from '../../shared/lambda/http-handler.ts';
import { clientErrorCodes, MarketplaceError } from '../../shared/marketplace/errors.ts';

/** Statuses of our own errors that a caller can do something about; all others are faults of ours. */
const STATUS_OF: Readonly<Record<string, number>> = {
  CURSOR_INVALID: 400,
  STORE_NOT_CONNECTED: 409,
  STORE_BUSY: 409,
  STORE_TRANSITION: 409,
  BATCH_UNKNOWN: 404,
  SUMMARY_UNKNOWN: 404,
  TRACE_UNKNOWN: 404,
  BATCH_OPEN: 409,
  BATCH_ENDED: 409,
  ROW_NOT_UNKNOWN: 409,
  ROWS_NOT_NAMED: 409,
  LISTING_UNKNOWN: 404,
  LISTING_NOT_READABLE: 409,
  ROWS_NOT_KEPT: 409,
  NOTHING_TO_RETRY: 409,
  ORDERS_BUSY: 409,
  PRODUCT_BUSY: 409,
  DOCUMENT_BUSY: 409,
};

/** The error as the caller of a route gets it; one that is a fault of ours stays as it is, for a 500. */
export function errorAnswer(error: unknown, { query }: Pick<HttpRequest, 'query'>): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof MarketplaceError) return marketplaceFailure(error);
  if (error instanceof ConnectorError) {
    const status = STATUS_OF[error.code];
    return status === undefined ? error : new HttpError(status, error.code, error.message, { cause: error });
  }
  // DynamoDB's word on a cursor that has the form of ours and is not of this list.
  if (error instanceof Error && error.name === 'ValidationException' && query.cursor !== undefined) {
    return new HttpError(400, 'CURSOR_INVALID', 'cursor: not one that this list came with', { cause: error });
  }
  return error;
}

/** A failed call of the marketplace: its code and, if known, its requestId and context. */
function marketplaceFailure(error: MarketplaceError): HttpError {
  const { code, message, requestId, context, outcome, retryAfterMs } = error;
  const details = {
    marketplace: { outcome, ...(requestId !== undefined && { requestId }), ...(context && { context }) },
  };
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return new HttpError(statusOfFailure(error), code, message, { details, headers, cause: error });
}

/**
 * Statuses of the codes that a call of a route can fail with (§7, and the client's own), whatever status the marketplace
 * gives them. 503: asking again later may help; 504: there was no answer in time.
 */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  [clientErrorCodes.requestInvalid]: 400,
  [clientErrorCodes.limitReached]: 503,
  [clientErrorCodes.aborted]: 504,
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
 * The status for a failed call of the marketplace. What was refused with a code that is not known keeps the marketplace's
 * own status where it blames the request; all else is a bad gateway.
 */
export function statusOfFailure({
  code,
  status,
  outcome,
}: Pick<MarketplaceError, 'code' | 'status' | 'outcome'>): number {
  // The partner's own credentials: nothing that the caller of the route could put right.
  if (/^(AUTH|SECRET)_/.test(code)) return 502;
  const known = STATUS_OF_CODE[code];
  if (known !== undefined) return known;
  if (outcome === 'refused' && status !== undefined && status >= 400 && status < 500) return status;
  return outcome === 'unknown' ? 504 : 502;
}
