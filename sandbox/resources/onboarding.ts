import * as z from 'zod';
import { bare } from '../api/answers.ts';
import { type Endpoint, partnerEndpoint } from '../api/endpoint.ts';
import { uuid } from '../schemas/common.ts';
import { SESSION_LIFETIME_MS } from '../state/session.ts';

/** §4.1: without envelope. */
export const onboarding: Endpoint = partnerEndpoint({
  operationId: 'createOnboardSession',
  section: '4.1',
  summary: 'Create onboard session',
  method: 'POST',
  path: '/partner/onboard/sessions',
  body: z.looseObject({ redirectUri: z.url() }),
  answer: z.object({ onboardUrl: z.url(), sid: uuid, requestId: uuid }),
  envelope: 'bare',
  handle: ({ marketplace, partner, body, requestId, sandboxUrl, newId, serverNow }) => {
    const sid = newId();
    marketplace.sessions.set(sid, {
      sid,
      partnerClientId: partner.clientId,
      requestId,
      redirectUri: body.redirectUri,
      expiresAt: serverNow + SESSION_LIFETIME_MS,
      completed: false,
    });
    const onboardUrl = new URL(`/sandbox/onboarding/${sid}`, sandboxUrl);
    onboardUrl.searchParams.set('partnerClientId', partner.clientId);
    onboardUrl.searchParams.set('sessionToken', newId());
    onboardUrl.searchParams.set('requestId', requestId);
    return bare({ onboardUrl: onboardUrl.href, sid, requestId });
  },
});
