import type { OnboardSession } from '../onboard-session.ts';

/** What the callback of an onboarding carries. */
export interface OnboardingCallback {
  readonly nonce: string;
  readonly sid: string;
  readonly storeClientId: string;
  readonly storeToken: string;
}

/**
 * Whether a callback may be taken: it must name the session that its nonce was made for, before that expires, and
 * come for the first time.
 *
 * @param now epoch ms
 */
export function judgeCallback(
  session: OnboardSession | undefined,
  { sid }: Pick<OnboardingCallback, 'sid'>,
  now: number,
): 'good' | 'refused' | 'used' | 'expired' {
  if (session === undefined || session.sid !== sid) return 'refused';
  if (session.state !== 'open') return 'used';
  return now < session.validUntil ? 'good' : 'expired';
}
