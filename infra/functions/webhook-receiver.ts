import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'queues' | 'buckets' | 'marketplace'>;

/** Takes final summaries in: checks their signature, archives them raw and queues them. */
export class WebhookReceiver extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'webhook-receiver',
      description: 'Verifies, archives and queues final summaries',
      code: parts.code('webhook-receiver'),
      timeout: Duration.seconds(10),
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { settings, queues, buckets, marketplace } = parts;

    marketplace.allowSecret(this);
    buckets.archive.allowPut(this);
    queues.summaries.allowSend(this);
    this.set(environmentNames.webhookVerification, settings.webhookVerification);
    this.set(environmentNames.webhookReplayWindowSeconds, settings.webhookReplayWindowSeconds);
  }
}
