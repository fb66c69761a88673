import type * as z from 'zod';
import { cutOff } from '../collections/cut-off.ts';
import type { NoPlace, Permit, PermitOutcome } from '../limits/ports.ts';
import { systemClock } from '../time/system-clock.ts';
import type { EpochMs } from '../time/times.ts';
import { backOffMs, backOffs, permitWait } from '../time/waits.ts';
import { type AnswerReader, json } from './answers.ts';
import { batchAnswer } from './batch.ts';
import { clientErrorCodes, fromTransportError, MarketplaceError, TransportError } from './errors.ts';
import { mayRepeat } from './failures.ts';
import type { Attempt, AttemptEnd, CallOptions, MarketplaceClientOptions } from './options.ts';
import { type PreparedRequest, prepare, type RequestDescription, type StoreCredentials } from './request.ts';
import { API_PREFIX, signRequest } from './signing.ts';
import type { TransportRequest } from './transport.ts';
import { unpackedAnswer } from './unpacked.ts';

/**
 * Calls the API: checks, signs and sends the request, reads the answer, and retries if a retry is safe.
 *
 * @throws {MarketplaceError} for every failure of the call itself. Errors of `secretKey`, `permits` and `onAttempt` pass through
 * unchanged, and the attempt is not sent. Errors of `read` pass through unchanged as well.
 */
export type Call = <Answer>(
  request: RequestDescription,
  read: AnswerReader<Answer>,
  options?: CallOptions,
) => Promise<Answer>;

/** Creates the function through which all endpoints are called. */
export function createCall(options: MarketplaceClientOptions): Call {
  const { clock, secretKey, random = Math.random, sleep = systemClock.sleep } = options;
  /** How far the marketplace's clock is ahead of ours. Learned from AUTH_003, and kept for later calls. */
  let clockOffsetMs = 0;

  return async (description, read, callOptions = {}) => {
    const request = prepare(description);
    const usualAttempts = options.maxAttempts ?? (request.method === 'GET' ? 3 : 1);
    const { maxAttempts = usualAttempts } = callOptions;
    const corrected = new Set<Correction>();

    /** Corrects the clock or the secret, each once. The marketplace refused the request, so sending it again is safe. */
    const correct = (error: MarketplaceError): boolean => {
      // The used offset is wrong. Once in a call the answer's time gives a new one; after a second AUTH_003 the offset stays 0.
      if (error.code === 'AUTH_003') clockOffsetMs = 0;
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
        // A corrected refusal does not count as a failure.
        const failures = number - corrected.size;
        if (failures >= maxAttempts || !mayRepeat(error, request.method)) throw error;
        const pauseMs = backOffMs(backOffs.call, failures - 1, random, error.retryAfterMs);
        await sleep(pauseMs, callOptions.signal).catch((cause) => {
          throw abandoned(error, cause);
        });
      }
    }
  };
}

/** An endpoint of a store that takes a body of the schema `body`. */
type BodyRequest<Body> = Pick<RequestDescription, 'method' | 'path'> & { readonly body: z.ZodType<Body> };

/** Calls an endpoint of a store that takes a body. `answer` is the schema of the whole answer. */
export function storeCall<Body, Answer>(
  call: Call,
  { body: schema, answer, ...request }: BodyRequest<Body> & { readonly answer: z.ZodType<Answer> },
) {
  return (store: StoreCredentials, value: Body, options?: CallOptions): Promise<Answer> =>
    call({ ...request, as: store, body: { schema, value } }, json(answer), options);
}

/** Calls a bulk endpoint of a store (ASYNC), whose answer begins a batch (§2). */
export function bulkCall<Body>(call: Call, request: BodyRequest<Body>) {
  return storeCall(call, { ...request, answer: batchAnswer });
}

/** What is corrected after a refusal: our clock, by the time in AUTH_003, or the secret, which may have been rotated. */
type Correction = 'clock' | 'secret';

function correctionOf({ code, context }: MarketplaceError): Correction | undefined {
  if (code === 'AUTH_010' || code === 'AUTH_011') return 'secret';
  return code === 'AUTH_003' && context?.currentTime !== undefined ? 'clock' : undefined;
}

/** The error of a call that was aborted between two attempts. Its outcome is that of the last attempt. */
function abandoned(last: MarketplaceError, cause: unknown): MarketplaceError {
  return new MarketplaceError({
    code: clientErrorCodes.aborted,
    message: `Aborted by the caller after ${last.code}`,
    outcome: last.outcome,
    retryable: false,
    cause,
  });
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** Largest answer accepted, documents included. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/**
 * An attempt calls `onAttempt` this long before its place. It does so as late as possible: a change that comes later can't stop the
 * request. The steps before and after are in ../limits/README.md.
 */
const RECORDED_BEFORE_MS = 120;

interface AttemptOptions extends CallOptions {
  /** From 1. */
  readonly number: number;
  readonly secret: string;
  readonly clockOffsetMs: number;
}

/**
 * Sends a request once with a fresh signature (§5, rule 8). The permit is the last step before the signature, so that no time passes
 * between the two.
 */
async function attempt<Answer>(
  options: MarketplaceClientOptions,
  request: PreparedRequest,
  read: AnswerReader<Answer>,
  attemptOptions: AttemptOptions,
): Promise<Answer> {
  const { signal } = attemptOptions;
  if (signal?.aborted) throw aborted();
  const { permit, signedAt } = await beginWithPermit(options, {
    ...attemptOptions,
    isRead: request.method === 'GET',
  });
  const storeClientId = typeof request.as === 'object' ? request.as.storeClientId : undefined;
  let outcome: PermitOutcome = { unused: true };
  let observed: ReturnType<typeof observeAttempt> | undefined;
  try {
    const signed = signedRequest(options, request, { ...attemptOptions, signedAt });
    outcome = request.as === 'anyone' ? { unsigned: true } : { storeClientId };
    const { method, path } = request;
    observed = observeAttempt(options, { method, path, attempt: attemptOptions.number });
    const answer = await options.transport.receive(signed, async (response) => {
      outcome = { ...outcome, status: response.status };
      return read(await unpackedAnswer(response, MAX_ANSWER_BYTES));
    });
    observed.answered(answer, outcome.status);
    return answer;
  } catch (error) {
    const failure = error instanceof TransportError ? fromTransportError(error) : error;
    observed?.failed(failure, outcome.status);
    outcome = outcomeOf(failure, outcome);
    throw failure;
  } finally {
    // A failed release must not hide the call's result: the permit expires anyway.
    await permit?.release(outcome).catch(() => undefined);
  }
}

/**
 * Runs `onAttempt` and waits for a permit.
 *
 * @throws {MarketplaceError} `LIMIT_REACHED` without a permit in time, `TABLES_RESTORED` before the end of a restore, `ABORTED`
 * when the caller ends the wait.
 */
async function beginWithPermit(
  options: MarketplaceClientOptions,
  {
    permits = options.permits,
    place: given,
    number,
    onAttempt,
    signal,
    isRead,
  }: AttemptOptions & { readonly isRead: boolean },
): Promise<{ readonly permit?: Permit; readonly signedAt: EpochMs }> {
  const { clock, sleep = systemClock.sleep } = options;
  const own = number === 1 ? given : undefined;
  const until = clock.now() + permitWait.longestMs;
  const preparation = onAttempt === undefined ? {} : { preparationMs: RECORDED_BEFORE_MS };
  if (permits === undefined) {
    const signedAt = clock.now();
    await onAttempt?.({ number, signedAt });
    return { signedAt };
  }
  for (;;) {
    const place = own ?? (await permits.reserve({ until, isRead, ...preparation }));
    if ('reason' in place) throw withoutPermit(place, clock.now());
    const { at: signedAt } = place;
    try {
      if (onAttempt !== undefined)
        await sleep(Math.max(0, signedAt - RECORDED_BEFORE_MS - clock.now()), signal);
      await onAttempt?.({ number, signedAt });
      // Without a permit nothing is sent, so this failure is a lost place, and not an attempt with an unknown outcome.
      const permit = await place.begin(signal).catch((error) => {
        if (signal?.aborted) throw error;
      });
      if (permit !== undefined) return { permit, signedAt };
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? aborted(error) : error;
    } finally {
      if (own === undefined) await place.giveBack();
    }
    const now = clock.now();
    if (own !== undefined || now >= until)
      throw withoutPermit({ reason: 'busy', retryAt: now + permitWait.againMs }, now);
  }
}

function aborted(cause?: unknown): MarketplaceError {
  return fromTransportError(new TransportError('aborted', 'aborted by the caller', { sent: false, cause }));
}

function withoutPermit({ reason, retryAt }: NoPlace, now: EpochMs): MarketplaceError {
  const isRestored = reason === 'restored';
  return new MarketplaceError({
    code: isRestored ? clientErrorCodes.tablesRestored : clientErrorCodes.limitReached,
    message: isRestored
      ? 'Nothing is sent from restored tables before POST /restore/end'
      : `The rate limiter gave no permit in time: ${reason}`,
    outcome: 'not-sent',
    retryable: true,
    retryAfterMs: Math.max(0, retryAt - now),
  });
}

/** @throws {TransportError} when no time is left to send the request. */
function signedRequest(
  options: MarketplaceClientOptions,
  { as, method, path, search, body }: PreparedRequest,
  { secret, clockOffsetMs, signedAt, signal, timeoutMs }: AttemptOptions & { readonly signedAt: EpochMs },
): TransportRequest {
  const { baseUrl, partnerClientId, clock } = options;
  const leftMs = (timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS) - (clock.now() - signedAt);
  if (leftMs <= 0) throw new TransportError('timeout', 'no time is left to send it', { sent: false });
  const timestamp = Math.round(signedAt + clockOffsetMs);
  const store = as === 'partner' || as === 'anyone' ? undefined : as;
  const toSign = { method, path, body, partnerClientId, store, timestamp };
  return {
    method,
    url: `${baseUrl.replace(/\/+$/, '')}${API_PREFIX}${path}${search}`,
    headers: {
      accept: 'application/json, application/pdf',
      ...(body && { 'content-type': 'application/json' }),
      ...(as !== 'anyone' && signRequest(secret, toSign)),
    },
    body,
    signal,
    timeoutMs: leftMs,
    maxBodyBytes: MAX_ANSWER_BYTES,
  };
}

/** `answered` has the status of the answer, if there was an answer. */
function outcomeOf(error: unknown, answered: PermitOutcome): PermitOutcome {
  if (!(error instanceof MarketplaceError)) return answered;
  const { retryAfterMs, code, outcome, context } = error;
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs };
  // A service behind one operation is down, such as a carrier for labels (§4.18). Other operations need not wait.
  if (code === 'SYS_DEP_503' && context?.operation !== undefined) return { elsewhere: true };
  return { ...answered, code, ...pause, ...(outcome === 'not-sent' && { unused: true }) };
}

/** Reports an attempt to the client's observer once it is sent. @returns two functions, one for each way in which it may end. */
function observeAttempt(
  { observer, clock }: Pick<MarketplaceClientOptions, 'observer' | 'clock'>,
  attempt: Attempt,
) {
  const sentAt = clock.now();
  const end = (facts: Omit<AttemptEnd, 'durationMs'>) =>
    observer?.onEnded(attempt, { ...facts, durationMs: clock.now() - sentAt });
  observer?.onSent(attempt);
  return {
    answered: (answer: unknown, status: number | undefined) =>
      end({ outcome: 'accepted', status, ...trackingIdsOf(answer) }),
    failed: (failure: unknown, status: number | undefined) =>
      end(
        failure instanceof MarketplaceError
          ? { outcome: failure.outcome, status, code: failure.code, requestId: failure.requestId }
          : { outcome: 'unknown', status },
      ),
  };
}

function trackingIdsOf(answer: unknown): Pick<AttemptEnd, 'requestId' | 'batchId'> {
  const { requestId, batchId } = { ...(answer as { requestId?: unknown; batchId?: unknown } | null) };
  return { requestId: textOf(requestId), batchId: textOf(batchId) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? cutOff(value) : undefined;
}
