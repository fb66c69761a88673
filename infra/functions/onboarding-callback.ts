import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorParts } from '../connector-parts.ts';
import { ConnectorFunction } from '../constructs/connector-function.ts';

type Parts = Pick<ConnectorParts, 'code' | 'settings' | 'tables' | 'bus' | 'marketplace'>;

/** Takes the seller back from the marketplace, with the store's credentials. */
export class OnboardingCallback extends ConnectorFunction {
  constructor(scope: Construct, id: string, parts: Parts) {
    super(scope, id, {
      serviceName: 'onboarding-callback',
      description: 'Connects a store when its seller comes back from the onboarding',
      code: parts.code('onboarding-callback'),
      // An HTTP API answers for its function after 30 s.
      timeout: Duration.seconds(29),
      logRetentionDays: parts.settings.logRetentionDays,
    });
    const { settings, tables, bus, marketplace } = parts;

    marketplace.allowRequests(this);
    tables.stores.allow(this, 'GetItem', 'UpdateItem');
    tables.sessions.allow(this, 'GetItem', 'PutItem');
    bus.allowPut(this);
    this.set(environmentNames.callbackStoreParameter, settings.callbackStoreParameter)
      .set(environmentNames.callbackTokenParameter, settings.callbackTokenParameter)
      .set(environmentNames.callbackSessionParameter, settings.callbackSessionParameter)
      .set(environmentNames.productNames, settings.productNames)
      .set(environmentNames.orderNames, settings.orderNames);
  }
}
