import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';

/** An HTTP API waits at most 30 s for its function. */
const timeout = Duration.seconds(29);

export const onboardingCallback: FunctionDefinition = {
  description: 'Connects a store when its seller comes back from the onboarding',
  timeout,
  settings: [
    'callbackStoreParameter',
    'callbackTokenParameter',
    'callbackSessionParameter',
    'productNames',
    'orderNames',
  ],
  connect: (fn, { tables, bus, marketplace }) => {
    marketplace.allowRequests(fn);
    tables.sessions.allow(fn, 'GetItem', 'PutItem');
    bus.allowPut(fn);
  },
};
