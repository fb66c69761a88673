import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'queues' | 'marketplace'>;

/** Every minute, leaves a ticket for each lane that has work and no living lease: tickets may be lost, work may not. */
export class LaneWaker extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'lane-waker',
      description: 'Leaves a ticket for each lane that has work and no living lease',
      code: parts.code('lane-waker'),
      timeout: Duration.seconds(50),
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { tables, queues, marketplace } = parts;

    this.startEvery('EveryMinute', Duration.minutes(1));
    tables.lanes.allow(this, 'Scan');
    tables.listings.allowQuery(this, 'waiting');
    marketplace.allowMeasuring(this);
    queues.wake.allowSend(this);
  }
}
