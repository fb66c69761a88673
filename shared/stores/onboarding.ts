import * as z from 'zod';
import { type EpochMs, epochMsSchema, isoTimeSchema } from '../time/times.ts';

/** The marketplace's own limit (§4.1). */
export const ONBOARD_SESSION_LIFETIME_MS = 3 * 60_000;

/** The partner's own name for an onboarding, such as its customer's number. The connector returns it with the store. */
export const onboardReferenceSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed(), 'must be well-formed text');

/** An onboarding with the stack's own callback. It has no token. */
export const onboardSessionSchema = z.object({
  /** A random part of the callback's URL. It proves that a callback belongs to the session. */
  nonce: z.string().min(1),
  /** The marketplace's ID of the session. */
  sid: z.string().min(1),
  reference: onboardReferenceSchema.optional(),
  validUntil: epochMsSchema,
  /** `taken`: a callback is being processed, no other is accepted. `connected`, `refused`: the end. */
  state: z.enum(['open', 'taken', 'connected', 'refused']),
});

/** The answer to a request for an onboarding. */
export const begunOnboardingSchema = z.object({
  /** Where to send the seller. */
  onboardUrl: z.string(),
  sid: z.string(),
  reference: onboardReferenceSchema.optional(),
  requestId: z.string().optional(),
  /** ISO 8601. */
  expiresAt: isoTimeSchema,
});

/** The parameters of an onboarding's callback. */
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
 * Whether a callback may be accepted. It must name the session of its nonce, come before the session expires, and be the first callback.
 *
 * @param now epoch ms
 */
export function judgeCallback(
  session: OnboardSession | undefined,
  { sid }: Pick<OnboardingCallback, 'sid'>,
  now: EpochMs,
): 'good' | 'refused' | 'used' | 'expired' {
  if (session === undefined || session.sid !== sid) return 'refused';
  if (session.state !== 'open') return 'used';
  return now < session.validUntil ? 'good' : 'expired';
}
