import * as z from 'zod';
import { envelope, json } from './answers.ts';
import { cutText, DENIAL, NO_OUTCOME, tellsNoDenial, tellsOutcome } from './batch.ts';
import type { Call } from './call.ts';
import type { CallOptions } from './options.ts';
import { path } from './request.ts';

/** Body of §4.1. */
const onboardRequest = z.strictObject({ redirectUri: z.url() });

/** Answer of §4.1, which has no envelope. The session expires 3 minutes after the call. Longer texts are neither an ID nor a URL. */
const onboardSession = z.looseObject({
  onboardUrl: z.string().max(10_000),
  sid: z.string().max(200),
  requestId: cutText.optional().catch(undefined),
});

/** Answer of §4.2. Only its success is needed. */
const unboundStore = envelope(
  z
    .looseObject({
      storeClientId: z.string().optional().catch(undefined),
      status: z.string().optional().catch(undefined),
    })
    .nullish()
    .catch(undefined),
)
  .refine(tellsOutcome, NO_OUTCOME)
  .refine(tellsNoDenial, DENIAL);

/** The calls that connect and unbind a store. */
export function storeCallsOver(call: Call) {
  return {
    /** Begins the onboarding of a store (§4.1), which the seller continues at `onboardUrl`. */
    createOnboardSession: (request: z.infer<typeof onboardRequest>, options?: CallOptions) =>
      call(
        {
          method: 'POST',
          path: '/partner/onboard/sessions',
          as: 'partner',
          body: { schema: onboardRequest, value: request },
        },
        json(onboardSession),
        options,
      ),

    /** Unbinds a store and revokes its token (§4.2). Errors: STORE_020; STORE_021 when the store is unbound already. */
    unbindStore: async ({ storeClientId }: { readonly storeClientId: string }, options?: CallOptions) =>
      call(
        { method: 'POST', path: path`/partner/stores/${storeClientId}/unbind`, as: 'partner' },
        json(unboundStore),
        options,
      ),
  };
}
