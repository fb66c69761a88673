import type { MarketplaceClient } from '../../marketplace/client.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
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
  readonly sessions: Pick<OnboardSessionTable, 'put'>;
  readonly marketplace: Pick<MarketplaceClient, 'createOnboardSession'>;
  readonly clock: Pick<Clock, 'now'>;
  /** At least 128 random bits, in characters of a URL. */
  readonly newNonce: () => string;
  /** The stack's own callback, without a query. */
  readonly callbackUrl: string;
}

/**
 * Begins the onboarding of a store (§4.1). Its callback is the stack's own, bound to this session by a nonce, or the
 * partner's `redirectUri`: the partner then registers the credentials that come there.
 *
 * @throws MarketplaceError
 */
export async function beginOnboarding(
  ports: BeginOnboardingPorts,
  { redirectUri }: { readonly redirectUri?: string | undefined } = {},
  options?: CallOptions,
): Promise<BegunOnboarding> {
  // Counted from before the call, so that we never hold a session open that the marketplace has closed.
  const validUntil = ports.clock.now() + ONBOARD_SESSION_LIFETIME_MS;
  const nonce = ports.newNonce();
  const { onboardUrl, sid, requestId } = await ports.marketplace.createOnboardSession(
    { redirectUri: redirectUri ?? `${ports.callbackUrl}?nonce=${encodeURIComponent(nonce)}` },
    options,
  );
  if (redirectUri === undefined) {
    const asked = requestId === undefined ? {} : { requestId };
    await ports.sessions.put({ nonce, sid, validUntil, state: 'open', ...asked });
  }
  return { onboardUrl, sid, requestId, expiresAt: new Date(validUntil).toISOString() };
}

export interface FinishOnboardingPorts extends ConnectStorePorts {
  readonly sessions: Pick<OnboardSessionTable, 'update'>;
}

/** What the seller is shown. `failed`: the credentials could not be checked; the callback may be repeated. */
export type OnboardingOutcome = 'connected' | 'expired' | 'refused' | 'used' | 'failed';

/**
 * Takes the credentials that an onboarding's callback brings, once, and connects the store when a signed call has
 * shown that they are good. Nothing changes for a callback that is not of an open session.
 *
 * @param signal ends the check of the credentials
 * @throws what the tables and the bus throw
 */
export async function finishOnboarding(
  ports: FinishOnboardingPorts,
  callback: OnboardingCallback,
  signal?: AbortSignal,
): Promise<OnboardingOutcome> {
  const judgement = await take(ports, callback);
  if (judgement !== 'good') return judgement;
  const { storeClientId, storeToken } = callback;
  try {
    await connectStore(ports, { storeClientId, storeToken }, signal && { signal });
  } catch (error) {
    const isRefused = error instanceof MarketplaceError && error.code === 'AUTH_014';
    await setState(ports, callback, isRefused ? 'refused' : 'open');
    if (isRefused) return 'refused';
    if (error instanceof MarketplaceError) return 'failed';
    throw error;
  }
  await setState(ports, callback, 'connected');
  return 'connected';
}

/** Takes the session if it may be, as one conditional write: of two callbacks at once only one is good. */
async function take(
  { sessions, clock }: FinishOnboardingPorts,
  callback: OnboardingCallback,
): Promise<ReturnType<typeof judgeCallback>> {
  let judgement: ReturnType<typeof judgeCallback> = 'refused';
  await sessions.update(callback.nonce, (session) => {
    judgement = judgeCallback(session, callback, clock.now());
    return judgement === 'good' && session ? { ...session, state: 'taken' } : undefined;
  });
  return judgement;
}

async function setState(
  { sessions }: FinishOnboardingPorts,
  { nonce, storeClientId }: OnboardingCallback,
  state: OnboardSession['state'],
): Promise<void> {
  await sessions.update(nonce, (session) => session && { ...session, state, storeClientId });
}
