import { z } from 'zod';
import type { OnboardingCallback } from '../../shared/stores/onboarding.ts';

/** Names of the query parameters in which the marketplace hands over what it says of the store. */
export interface CallbackParameters {
  readonly storeClientId: string;
  readonly storeToken: string;
  readonly sid: string;
}

const callbackSchema = z.object({
  nonce: z.string().min(1).max(200),
  sid: z.string().min(1).max(200),
  storeClientId: z.string().min(1).max(200),
  storeToken: z.string().min(1).max(4096),
});

/** The callback in a query; `undefined` where a part of it is missing. */
export function readCallback(
  query: Readonly<Record<string, string | undefined>>,
  names: CallbackParameters,
): OnboardingCallback | undefined {
  return callbackSchema.safeParse({
    nonce: query.nonce,
    sid: query[names.sid],
    storeClientId: query[names.storeClientId],
    storeToken: query[names.storeToken],
  }).data;
}
