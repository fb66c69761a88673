import { randomUUID } from 'node:crypto';
import type { PartnerSecret } from '../../shared/aws/partner-secret.ts';
import { signedSelfTestSchema, signSelfTest } from '../../shared/marketplace/webhooks/self-test.ts';
import { webhookPath } from '../../shared/settings/stack-rules.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Route, route } from './route.ts';

interface SelfTestPorts {
  readonly partnerSecret: Pick<PartnerSecret, 'read'>;
  readonly partnerClientId: string;
  readonly clock: Pick<Clock, 'now'>;
}

export function selfTestRoutes({ partnerSecret, partnerClientId, clock }: SelfTestPorts): Route[] {
  return [
    route(
      'POST /webhooks/self-test',
      {
        summary:
          "A signed webhook for the caller to send to the stack's `WebhookUrl`, which answers it with 200 and drops it",
        answers: { 200: signedSelfTestSchema },
      },
      // Read the secret anew: the self-test usually follows right after the secret was set.
      async () =>
        signSelfTest(await partnerSecret.read({ fresh: true }), {
          id: randomUUID(),
          path: webhookPath,
          partnerClientId,
          now: clock.now(),
        }),
    ),
  ];
}
