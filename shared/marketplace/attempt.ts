import type { AnswerReader, StreamReader } from './answers.ts';
import { fromTransportError, MarketplaceError, TransportError } from './errors.ts';
import type { CallOptions, MarketplaceClientOptions, Permit, PermitOutcome } from './options.ts';
import type { PreparedRequest } from './request.ts';
import { API_PREFIX, signRequest } from './signing.ts';
import type { Transport, TransportRequest } from './transport.ts';

const DEFAULT_TIMEOUT_MS = 10_000;

interface AttemptOptions extends CallOptions {
  /** From 1. */
  readonly number: number;
  readonly secret: string;
  readonly clockOffsetMs: number;
}

/** Sends a request once, signed afresh (§5, rule 8), holding a permit from before it is signed until it is answered. */
export async function attempt<Answer>(
  options: MarketplaceClientOptions,
  request: PreparedRequest,
  read: AnswerReader<Answer> | StreamReader<Answer>,
  attemptOptions: AttemptOptions,
): Promise<Answer> {
  const { signal, permit: taken, number } = attemptOptions;
  if (signal?.aborted)
    throw fromTransportError(new TransportError('aborted', 'aborted by the caller', { sent: false }));
  const permit = (number === 1 ? taken : undefined) ?? (await acquirePermit(options, request, signal));
  let outcome: PermitOutcome = { unused: true };
  try {
    return await exchange(options, request, attemptOptions, (transport, signed) => {
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

function acquirePermit(
  { permits }: MarketplaceClientOptions,
  { endpoint, as }: PreparedRequest,
  signal: AbortSignal | undefined,
): Promise<Permit | undefined> | undefined {
  return permits?.acquire({
    endpoint,
    ...(typeof as === 'object' && { storeClientId: as.storeClientId }),
    ...(signal && { signal }),
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
  { number, secret, clockOffsetMs, onAttempt, signal, timeoutMs }: AttemptOptions,
  bringBack: (transport: Transport, request: TransportRequest) => Promise<Answer>,
): Promise<Answer> {
  const signedAt = options.clock.now();
  await onAttempt?.({ number, signedAt });
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
