import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import { isWithoutPermit } from '../../marketplace/failures.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Clock } from '../../time/clock.ts';
import {
  type BegunOnboarding,
  judgeCallback,
  ONBOARD_SESSION_LIFETIME_MS,
  type OnboardingCallback,
  type OnboardSession,
} from '../onboarding.ts';
import type { OnboardSessionTable } from '../ports.ts';
import { type ConnectStorePorts, connectStore } from './operate-store.ts';

export interface BeginOnboardingPorts {
  readonly sessions: OnboardSessionTable;
  readonly marketplace: Pick<MarketplaceClient, 'createOnboardSession'>;
  readonly clock: Pick<Clock, 'now'>;
  /** At least 128 random bits, URL-safe. */
  readonly newNonce: () => string;
  /** The stack's own callback, without a query. */
  readonly callbackUrl: string;
}

/**
 * Begins the onboarding of a store (§4.1). The callback is the stack's own, bound to this session by a nonce, or the partner's
 * `redirectUri`. In the second case the partner registers the credentials.
 *
 * @throws MarketplaceError
 */
export async function beginOnboarding(
  ports: BeginOnboardingPorts,
  {
    redirectUri,
    reference,
  }: { readonly redirectUri?: string | undefined; readonly reference?: string | undefined } = {},
  options?: CallOptions,
): Promise<BegunOnboarding> {
  // Read the clock before the call: the session must not be open longer here than at the marketplace.
  const validUntil = ports.clock.now() + ONBOARD_SESSION_LIFETIME_MS;
  const nonce = ports.newNonce();
  const { onboardUrl, sid, requestId } = await ports.marketplace.createOnboardSession(
    { redirectUri: redirectUri ?? `${ports.callbackUrl}?nonce=${encodeURIComponent(nonce)}` },
    options,
  );
  if (redirectUri === undefined) {
    await ports.sessions.update(nonce, () => ({ nonce, sid, reference, validUntil, state: 'open' }));
  }
  return { onboardUrl, sid, reference, requestId, expiresAt: new Date(validUntil).toISOString() };
}

export interface FinishOnboardingPorts extends ConnectStorePorts {
  readonly sessions: OnboardSessionTable;
  readonly clock: Clock;
}

/** The result for the seller. `failed`: the credentials could not be checked; the callback may be repeated. */
export type OnboardingOutcome = 'connected' | 'expired' | 'refused' | 'used' | 'failed';

/**
 * Accepts an onboarding's callback once, and connects the store after a signed call has shown that the credentials are
 * valid. A callback without an open session changes nothing.
 *
 * @param signal ends the check of the credentials
 * @throws the errors of the tables and the bus
 */
export async function finishOnboarding(
  ports: FinishOnboardingPorts,
  callback: OnboardingCallback,
  signal: AbortSignal,
): Promise<OnboardingOutcome> {
  const { judgement, reference } = await take(ports, callback);
  if (judgement !== 'good') return judgement;
  try {
    await connect(ports, { ...callback, reference }, signal);
  } catch (error) {
    const isRefused = error instanceof MarketplaceError && error.code === 'AUTH_014';
    // The store is connected although its event was not published: the batch-sweeper publishes it.
    const isConnected = !(error instanceof MarketplaceError) && (await hasConnected(ports, callback));
    if (!isConnected) await setState(ports, callback, isRefused ? 'refused' : 'open');
    if (isRefused) return 'refused';
    if (error instanceof MarketplaceError) return 'failed';
    if (!isConnected) throw error;
  }
  await setState(ports, callback, 'connected');
  return 'connected';
}

/** Whether the store's record has the credentials of the callback. */
async function hasConnected(
  { stores }: Pick<FinishOnboardingPorts, 'stores'>,
  { storeClientId, storeToken }: OnboardingCallback,
): Promise<boolean> {
  const store = await stores.get(storeClientId);
  return store?.state === 'connected' && store.storeToken === storeToken;
}

/** Asks for a permit again and again until the time is over: only this callback has the token, and the seller's browser sends it once. */
async function connect(
  ports: FinishOnboardingPorts,
  { storeClientId, storeToken, sid, reference }: OnboardingCallback & Pick<OnboardSession, 'reference'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await connectStore(
        ports,
        { storeClientId, storeToken, onboarding: { sid, reference } },
        { signal },
      );
    } catch (error) {
      if (!isWithoutPermit(error)) throw error;
      await ports.clock.sleep(error.retryAfterMs ?? 0, signal).catch(() => {
        throw error;
      });
    }
  }
}

/** Takes the session by a conditional write, so that of two simultaneous callbacks only one is `good`. */
async function take(
  { sessions, clock }: FinishOnboardingPorts,
  callback: OnboardingCallback,
): Promise<{ judgement: ReturnType<typeof judgeCallback>; reference?: string | undefined }> {
  let judgement: ReturnType<typeof judgeCallback> = 'refused';
  const taken = await sessions.update(callback.nonce, (session) => {
    judgement = judgeCallback(session, callback, clock.now());
    return judgement === 'good' && session ? { ...session, state: 'taken' } : undefined;
  });
  return { judgement, reference: taken?.reference };
}

async function setState(
  { sessions }: FinishOnboardingPorts,
  { nonce }: OnboardingCallback,
  state: OnboardSession['state'],
): Promise<void> {
  await sessions.update(nonce, (session) => session && { ...session, state });
}
