import { z } from 'zod';

/** The marketplace's own limit (§4.1). Milliseconds. */
export const ONBOARD_SESSION_LIFETIME_MS = 3 * 60_000;

/** An onboarding that was begun with the stack's own callback; holds no token. */
export const onboardSessionSchema = z.object({
  /** What only those know who were given the callback's URL. */
  nonce: z.string().min(1),
  /** The marketplace's ID of the session. */
  sid: z.string().min(1),
  requestId: z.string().optional(),
  /** Epoch ms. */
  validUntil: z.number().int(),
  /** `taken`: its callback came, and no other is taken; `connected` and `refused`: how it ended. */
  state: z.enum(['open', 'taken', 'connected', 'refused']),
  storeClientId: z.string().optional(),
});

/** The answer to the beginning of an onboarding. */
export const begunOnboardingSchema = z.object({
  /** Where to send the seller. */
  onboardUrl: z.string(),
  sid: z.string(),
  requestId: z.string().optional(),
  /** ISO 8601. */
  expiresAt: z.string(),
});

/** What the callback of an onboarding carries. */
export const onboardingCallbackSchema = z.object({
  nonce: z.string().min(1).max(200),
  sid: z.string().min(1).max(200),
  storeClientId: z.string().min(1).max(200),
  storeToken: z.string().min(1).max(4096),
});

export type OnboardSession = z.infer<typeof onboardSessionSchema>;
export type BegunOnboarding = z.infer<typeof begunOnboardingSchema>;
export type OnboardingCallback = z.infer<typeof onboardingCallbackSchema>;

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
