import type { RequestAttempt, Tries } from '../../attempts/model.ts';
import { definedOf } from '../../collections/defined-of.ts';
import type { ConnectorError } from '../../errors/connector-error.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { boundedText } from '../../rejections/rules/bounded.ts';
import type { EpochMs } from '../../time/times.ts';
import type { RequestRecord } from '../model.ts';
import { faultOf } from './deferral.ts';

/** Attempts that are kept with a request; `tries` counts all. */
const MOST_ATTEMPTS = 10;

/**
 * The request with a new attempt. An attempt of the same sender without an end is replaced: it lost its place at the rate limiter,
 * and was signed again for a later one.
 *
 * @param at when it was signed.
 */
export function withAttempt(record: RequestRecord, senderId: string, at: EpochMs): RequestRecord {
  const { attempts = [] } = record;
  const last = attempts.at(-1);
  const isSignedAgain = last !== undefined && last.outcome === undefined && record.senderId === senderId;
  const before = isSignedAgain ? attempts.slice(0, -1) : attempts;
  return { ...record, attempts: [...before, { at: new Date(at).toISOString() }].slice(-MOST_ATTEMPTS) };
}

/** The request with the end of the last attempt of a sender, unless that one has an end. */
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

/** How often a request was tried; `undefined` for a single try, whose end is that of the request. */
export function triesIn({ tries, attempts = [] }: RequestRecord): Tries | undefined {
  if (tries <= 1) return undefined;
  const failed = attempts.findLast(({ outcome = 'accepted' }) => outcome !== 'accepted');
  if (failed === undefined) return { count: tries };
  const { requestId: _, ...lastFailed } = failed;
  return { count: tries, lastFailed };
}
