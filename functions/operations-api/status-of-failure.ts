import { clientErrorCodes, type MarketplaceError } from '../../shared/marketplace/errors.ts';

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
  if (code.startsWith('AUTH_')) return 502;
  const known = STATUS_OF_CODE[code];
  if (known !== undefined) return known;
  if (outcome === 'refused' && status !== undefined && status >= 400 && status < 500) return status;
  return outcome === 'unknown' ? 504 : 502;
}
