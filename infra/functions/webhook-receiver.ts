import { Duration } from 'aws-cdk-lib';
import type { FunctionDefinition } from '../connector-parts.ts';

export const webhookReceiver: FunctionDefinition = {
  description: 'Verifies and queues final summaries',
  timeout: Duration.seconds(10),
  settings: ['webhookVerification', 'webhookReplayWindowSeconds'],
  connect: (fn, { queues, buckets, marketplace }) => {
    marketplace.allowSecret(fn);
    buckets.archive.allowPut(fn, 'webhooks/');
    queues.summaries.allowSend(fn);
  },
};
