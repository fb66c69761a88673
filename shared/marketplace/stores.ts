import { z } from 'zod';
import { json } from './answers.ts';
import type { Call } from './call.ts';
import { envelope } from './envelope.ts';
import type { CallOptions } from './options.ts';
import { path } from './request.ts';

/** Body of §4.1. */
const onboardRequest = z.strictObject({ redirectUri: z.url() });
export type OnboardRequest = z.infer<typeof onboardRequest>;

/** Answer of §4.1, which comes without an envelope. The session expires 3 minutes after the call. */
const onboardSession = z.looseObject({
  onboardUrl: z.string(),
  sid: z.string(),
  requestId: z.string().optional().catch(undefined),
});
export type OnboardSession = z.infer<typeof onboardSession>;

const unboundStore = envelope(z.looseObject({ storeClientId: z.string(), status: z.string() }));
export type UnboundStore = z.infer<typeof unboundStore>;

/** Starts the onboarding of a store (§4.1): the seller is sent to `onboardUrl`. */
export async function createOnboardSession(
  call: Call,
  request: OnboardRequest,
  options?: CallOptions,
): Promise<OnboardSession> {
  return call(
    {
      endpoint: 'createOnboardSession',
      method: 'POST',
      path: path`/partner/onboard/sessions`,
      as: 'partner',
      body: { schema: onboardRequest, value: request },
    },
    json(onboardSession),
    options,
  );
}

/** Unbinds a store (§4.2): its token is revoked. Errors: STORE_020, STORE_021 when it already is. */
export async function unbindStore(
  call: Call,
  request: { readonly storeClientId: string },
  options?: CallOptions,
): Promise<UnboundStore> {
  return call(
    {
      endpoint: 'unbindStore',
      method: 'POST',
      path: path`/partner/stores/${request.storeClientId}/unbind`,
      as: 'partner',
    },
    json(unboundStore),
    options,
  );
}
