import type { RequestAttempt, Tries } from '../../attempts/model.ts';
import { definedOf } from '../../collections/defined-of.ts';
import type { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { EpochMs } from '../../time/times.ts';
import type { RequestRecord } from '../model.ts';
import { faultOf } from './deferral.ts';

/** A request keeps this many attempts; `tries` counts all. */
const MOST_ATTEMPTS = 10;

/**
 * The request with a new attempt. It replaces an attempt of the same sender without an end: that attempt lost its place at the
 * rate limiter, so the request was signed again for a later place.
 *
 * @param at when the new attempt was signed.
 */
export function withAttempt(record: RequestRecord, senderId: string, at: EpochMs): RequestRecord {
  const { attempts = [] } = record;
  const last = attempts.at(-1);
  const isSignedAgain = last !== undefined && last.outcome === undefined && record.senderId === senderId;
  const before = isSignedAgain ? attempts.slice(0, -1) : attempts;
  return { ...record, attempts: [...before, { at: new Date(at).toISOString() }].slice(-MOST_ATTEMPTS) };
}

/** The request with the end of its last attempt, if `senderId` sent that attempt and it has no end yet. */
export function withAttemptEnd<R extends RequestRecord | undefined>(
  record: R,
  senderId: string | undefined,
  end: Omit<RequestAttempt, 'at'>,
): R {
  const { attempts = [] }: Partial<RequestRecord> = record ?? {};
  const last = attempts.at(-1);
  if (last === undefined || last.outcome !== undefined || record?.senderId !== senderId) return record;
  return { ...record, attempts: [...attempts.slice(0, -1), { ...last, ...end }] };
}

/** The end of an attempt that failed. */
export function attemptEndOf(error: MarketplaceError | ConnectorError): Omit<RequestAttempt, 'at'> {
  if (!(error instanceof MarketplaceError)) {
    return { outcome: 'not sent', code: boundedText(error.code), message: boundedText(error.message) };
  }
  const { code, message, status, requestId } = faultOf(error);
  const outcome = error.outcome === 'not-sent' ? 'not sent' : error.outcome;
  return { outcome, code, message, ...definedOf({ status, requestId }) };
}

/** How often a request was tried; `undefined` for a single try, as the request's own end already tells its end. */
export function triesIn({ tries, attempts = [] }: RequestRecord): Tries | undefined {
  if (tries <= 1) return undefined;
  const failed = attempts.findLast(({ outcome = 'accepted' }) => outcome !== 'accepted');
  if (failed === undefined) return { count: tries };
  const { requestId: _, ...lastFailed } = failed;
  return { count: tries, lastFailed };
}
