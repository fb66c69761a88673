import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';

/** The AWS services through which functions use the key. */
type KeyUsingService = 'dynamodb' | 's3' | 'secretsmanager';

/**
 * The customer-managed key for store tokens, the partner secret and order documents. It outlives the stack, as the data
 * that it encrypts does.
 */
export class DataKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'Store tokens, partner secret and order documents of the Marketplace Connector',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
      pendingWindow: Duration.days(30),
    });
  }

  /** Lets `fn` use the key for `actions`, through `service` only: not directly on data of its own choice. */
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
