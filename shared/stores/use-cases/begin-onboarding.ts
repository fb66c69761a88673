import type { MarketplaceClient } from '../../marketplace/client.ts';
import type { CallOptions } from '../../marketplace/options.ts';
import type { Clock } from '../../time/clock.ts';
import { type BegunOnboarding, ONBOARD_SESSION_LIFETIME_MS } from '../onboard-session.ts';
import type { OnboardSessionTable } from '../ports.ts';

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
  const session = await ports.marketplace.createOnboardSession(
    { redirectUri: redirectUri ?? `${ports.callbackUrl}?nonce=${encodeURIComponent(nonce)}` },
    options,
  );
  const { onboardUrl, sid, requestId } = session;
  if (redirectUri === undefined) {
    await ports.sessions.put({
      nonce,
      sid,
      validUntil,
      state: 'open',
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
  return { onboardUrl, sid, requestId, expiresAt: new Date(validUntil).toISOString() };
}
