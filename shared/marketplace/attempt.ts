import { systemClock } from '../time/system-clock.ts';
import type { AnswerReader, StreamReader } from './answers.ts';
import { clientErrorCodes, fromTransportError, MarketplaceError, TransportError } from './errors.ts';
import type { CallOptions, MarketplaceClientOptions, NoPlace, Permit, PermitOutcome } from './options.ts';
import type { PreparedRequest } from './request.ts';
import { API_PREFIX, signRequest } from './signing.ts';
import type { Transport, TransportRequest } from './transport.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Milliseconds that a call waits for a permit at most; its caller goes on from there by a delayed message. */
const LONGEST_WAIT_MS = 2_000;
/** Milliseconds before it makes sense to ask again after a whole wait without a permit. */
const ASK_AGAIN_MS = 1_000;
/** Milliseconds that are planned for `onAttempt`. */
const PREPARATION_MS = 80;

interface AttemptOptions extends CallOptions {
  /** From 1. */
  readonly number: number;
  readonly secret: string;
  readonly clockOffsetMs: number;
}

/**
 * Sends a request once, signed afresh (§5, rule 8): what has to be done before comes first, then its permit, and its
 * signature at once.
 */
export async function attempt<Answer>(
  options: MarketplaceClientOptions,
  request: PreparedRequest,
  read: AnswerReader<Answer> | StreamReader<Answer>,
  attemptOptions: AttemptOptions,
): Promise<Answer> {
  const { signal } = attemptOptions;
  if (signal?.aborted) throw aborted();
  const { permit, signedAt } = await beginWithPermit(options, attemptOptions);
  let outcome: PermitOutcome = { unused: true };
  try {
    return await exchange(options, request, { ...attemptOptions, signedAt }, (transport, signed) => {
      outcome = request.as === 'anyone' ? { unsigned: true } : {};
      return receive(transport, signed, read, ({ status }) => {
        outcome = { ...outcome, status };
      });
    });
  } catch (error) {
    outcome = { ...outcome, ...outcomeOf(error) };
    throw error;
  } finally {
    // A permit that can't be given back expires by itself; the call's own result must not be lost over it.
    await permit?.release(outcome).catch(() => undefined);
  }
}

/**
 * Does what has to be done before the request leaves, and waits for its permit.
 *
 * @throws {MarketplaceError} `LIMIT_REACHED` when none is had in time, `ABORTED` when the caller ends the wait.
 */
async function beginWithPermit(
  options: MarketplaceClientOptions,
  { permits = options.permits, number, onAttempt, signal }: AttemptOptions,
): Promise<{ readonly permit?: Permit; readonly signedAt: number }> {
  const { clock, sleep = systemClock.sleep } = options;
  const until = clock.now() + LONGEST_WAIT_MS;
  const preparationMs = onAttempt === undefined ? 0 : PREPARATION_MS;
  if (permits === undefined) {
    const signedAt = clock.now();
    await onAttempt?.({ number, signedAt });
    return { signedAt };
  }
  for (;;) {
    const place = await permits.reserve({ until, preparationMs });
    if ('reason' in place) throw limitReached(place, clock.now());
    const signedAt = place.at;
    const waitMs = place.prepareAt - clock.now();
    try {
      if (onAttempt !== undefined && waitMs > 0) await sleep(waitMs, signal);
      await onAttempt?.({ number, signedAt });
    } catch (error) {
      await place.giveBack();
      throw signal?.aborted && error === signal.reason ? aborted(error) : error;
    }
    const permit = await place.begin(signal).catch((error) => {
      throw signal?.aborted && error === signal.reason ? aborted(error) : error;
    });
    if (permit !== undefined) return { permit, signedAt };
    const now = clock.now();
    if (now >= until) throw limitReached({ reason: 'busy', retryAt: now + ASK_AGAIN_MS }, now);
  }
}

function aborted(cause?: unknown): MarketplaceError {
  return fromTransportError(new TransportError('aborted', 'aborted by the caller', { sent: false, cause }));
}

function limitReached({ reason, retryAt }: NoPlace, now: number): MarketplaceError {
  return new MarketplaceError({
    code: clientErrorCodes.limitReached,
    message: `No permit is free in time: ${reason}`,
    outcome: 'not-sent',
    retryable: true,
    retryAfterMs: Math.max(0, retryAt - now),
  });
}

/** Brings back what the answer is read as; `onAnswer` hears of it first. */
async function receive<Answer>(
  transport: Transport,
  request: TransportRequest,
  read: AnswerReader<Answer> | StreamReader<Answer>,
  onAnswer: (response: { readonly status: number }) => void,
): Promise<Answer> {
  if (typeof read === 'function') {
    const response = await transport.send(request);
    onAnswer(response);
    return read(response);
  }
  return transport.receive(request, (response) => {
    onAnswer(response);
    return read.stream(response);
  });
}

async function exchange<Answer>(
  options: MarketplaceClientOptions,
  request: PreparedRequest,
  { secret, clockOffsetMs, signedAt, signal, timeoutMs }: AttemptOptions & { readonly signedAt: number },
  bringBack: (transport: Transport, request: TransportRequest) => Promise<Answer>,
): Promise<Answer> {
  const { method, path, search, body } = request;
  const leftMs = (timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS) - (options.clock.now() - signedAt);
  try {
    if (leftMs <= 0) throw new TransportError('timeout', 'no time was left to send it', { sent: false });
    return await bringBack(options.transport, {
      method,
      url: `${options.baseUrl.replace(/\/+$/, '')}${API_PREFIX}${path}${search}`,
      headers: {
        accept: 'application/json, application/pdf',
        ...(body && { 'content-type': 'application/json' }),
        ...authentication(options.partnerClientId, request, secret, signedAt + clockOffsetMs),
      },
      body,
      signal,
      timeoutMs: leftMs,
      maxBodyBytes: request.maxAnswerBytes,
    });
  } catch (error) {
    throw error instanceof TransportError ? fromTransportError(error) : error;
  }
}

function authentication(
  partnerClientId: string,
  { as, method, path, body }: PreparedRequest,
  secret: string,
  timestamp: number,
): Record<string, string> {
  if (as === 'anyone') return {};
  const store = as === 'partner' ? undefined : as;
  return signRequest(secret, {
    method,
    path,
    body,
    partnerClientId,
    store,
    timestamp: Math.round(timestamp),
  });
}

function outcomeOf(error: unknown): PermitOutcome {
  if (!(error instanceof MarketplaceError)) return {};
  const { status, retryAfterMs, code, outcome } = error;
  return {
    code,
    ...(outcome === 'not-sent' && { unused: true }),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
