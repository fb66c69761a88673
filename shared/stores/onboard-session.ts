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
  /** `taken`: its callback came, once and for all; `connected` and `refused`: what came of it. */
  state: z.enum(['open', 'taken', 'connected', 'refused']),
  storeClientId: z.string().optional(),
});

export type OnboardSession = z.infer<typeof onboardSessionSchema>;

/** The answer to the beginning of an onboarding. */
export const begunOnboardingSchema = z.object({
  /** Where to send the seller. */
  onboardUrl: z.string(),
  sid: z.string(),
  requestId: z.string().optional(),
  /** ISO 8601. */
  expiresAt: z.string(),
});

export type BegunOnboarding = z.infer<typeof begunOnboardingSchema>;
