import { systemClock } from '../time/system-clock.ts';
import type { AnswerReader, StreamReader } from './answers.ts';
import { attempt } from './attempt.ts';
import { clientErrorCodes, MarketplaceError } from './errors.ts';
import type { CallOptions, MarketplaceClientOptions } from './options.ts';
import { backOffMs, backOffs, mayRepeat } from './policies/back-off.ts';
import { prepare, type RequestDescription } from './request.ts';

/**
 * Makes one call of the API: checks, signs, sends, reads, and repeats where that does no harm.
 *
 * @throws {MarketplaceError} for every failure of the call itself. What the caller's own `secretKey`, `permits` and
 * `onAttempt` throw passes through unchanged; the attempt concerned was not sent. So does what a `StreamReader` throws
 * of its own.
 */
export type Call = <Answer>(
  request: RequestDescription,
  read: AnswerReader<Answer> | StreamReader<Answer>,
  options?: CallOptions,
) => Promise<Answer>;

/** Makes the one mechanism that every endpoint goes through. */
export function createCall(options: MarketplaceClientOptions): Call {
  const { clock, secretKey, random = Math.random, sleep = systemClock.sleep } = options;
  /** How far the marketplace's clock is ahead of ours, in milliseconds: learned from AUTH_003, kept for later calls. */
  let clockOffsetMs = 0;

  return async (description, read, callOptions = {}) => {
    const request = prepare(description);
    const maxAttempts = options.maxAttempts ?? (request.method === 'GET' ? 3 : 1);
    const corrected = new Set<Correction>();

    /** Puts right, once each, what was complained of; it was refused for that, so repeating is safe. */
    const correct = (error: MarketplaceError): boolean => {
      const correction = correctionOf(error);
      if (correction === undefined || corrected.has(correction)) return false;
      const { currentTime } = error.context ?? {};
      if (correction === 'clock' && currentTime !== undefined) clockOffsetMs = currentTime - clock.now();
      corrected.add(correction);
      return true;
    };

    for (let number = 1; ; number++) {
      try {
        const secret =
          request.as === 'anyone' ? '' : await secretKey.read({ fresh: corrected.has('secret') });
        return await attempt(options, request, read, { number, secret, clockOffsetMs, ...callOptions });
      } catch (error) {
        if (!(error instanceof MarketplaceError)) throw error;
        if (correct(error)) continue;
        const spent = number - corrected.size >= maxAttempts;
        if (spent || !mayRepeat(error, request.method)) throw error;
        const pauseMs = backOffMs(backOffs.call, number - 1, random, error.retryAfterMs);
        await sleep(pauseMs, callOptions.signal).catch((cause) => {
          throw abandoned(error, cause);
        });
      }
    }
  };
}

/** What of a call can be put right: our clock, by the time of an AUTH_003; the secret, which may have been rotated. */
type Correction = 'clock' | 'secret';

function correctionOf({ code, context }: MarketplaceError): Correction | undefined {
  if (code === 'AUTH_010' || code === 'AUTH_011') return 'secret';
  return code === 'AUTH_003' && context?.currentTime !== undefined ? 'clock' : undefined;
}

/** The caller gave up between two attempts: what is known of the last one still holds. */
function abandoned(last: MarketplaceError, cause: unknown): MarketplaceError {
  return new MarketplaceError({
    code: clientErrorCodes.aborted,
    message: `Given up by the caller after ${last.code}`,
    outcome: last.outcome,
    retryable: false,
    cause,
  });
}
