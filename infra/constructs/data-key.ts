import { Duration, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';
import { dataPolicy } from './data-policy.ts';

/** The AWS services through which functions use the key. */
type KeyUsingService = 'dynamodb' | 's3' | 'secretsmanager';

/**
 * The customer-managed key over what must stay secret: store tokens, the partner secret, order documents. It is kept
 * when the stack goes, since what it encrypted is kept as well.
 */
export class DataKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'Store tokens, partner secret and order documents of the Marketplace Connector',
      enableKeyRotation: true,
      removalPolicy: dataPolicy(true),
      pendingWindow: Duration.days(30),
    });
  }

  /** Lets `fn` use the key for `actions`, but only through `service`: never directly on data of its own choice. */
  allowThrough(
    service: KeyUsingService,
    fn: ConnectorFunction,
    ...actions: readonly `kms:${string}`[]
  ): void {
    fn.allow(actions, [this.keyArn], {
      StringEquals: { 'kms:ViaService': `${service}.${Stack.of(this).region}.amazonaws.com` },
    });
  }
}
