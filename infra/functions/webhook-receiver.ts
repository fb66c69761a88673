import { Duration } from 'aws-cdk-lib';
import { ARCHIVED } from '../../shared/settings/stack-rules.ts';
import type { FunctionDefinition } from '../connector-parts.ts';

export const webhookReceiver: FunctionDefinition = {
  description: 'Verifies and queues final summaries',
  timeout: Duration.seconds(10),
  settings: ['webhookVerification', 'webhookReplayWindowSeconds'],
  connect: (fn, { queues, buckets, marketplace }) => {
    marketplace.allowSecret(fn);
    buckets.archive.allowPut(fn, ARCHIVED.webhooks);
    queues.summaries.allowSend(fn);
  },
};
