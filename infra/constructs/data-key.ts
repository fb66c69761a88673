import { Duration, Stack } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';
import { dataPolicy } from './data-policy.ts';

/** The AWS services through which functions use the key. */
type KeyUsingService = 'dynamodb' | 's3' | 'secretsmanager';

/**
 * The customer-managed key for store tokens, the partner secret and order documents. A new key outlives the stack, as do the data that it
 * encrypts.
 */
export class DataKey extends Construct {
  readonly key: IKey;

  /** @param existing an existing key. Its policy must let IAM policies of the account give access to the key. Default: a new key. */
  constructor(scope: Construct, id: string, existing?: IKey) {
    super(scope, id);
    this.key = existing ?? this.createKey();
  }

  /** Lets `fn` use the key for `actions`, but only through `service`, not directly on any data. */
  allowThrough(
    service: KeyUsingService,
    fn: ConnectorFunction,
    ...actions: readonly `kms:${string}`[]
  ): void {
    fn.allow(actions, [this.key.keyArn], {
      StringEquals: { 'kms:ViaService': `${service}.${Stack.of(this).region}.amazonaws.com` },
    });
  }

  private createKey(): Key {
    return new Key(this, 'Default', {
      description: 'Store tokens, partner secret and order documents of the Marketplace Connector',
      enableKeyRotation: true,
      removalPolicy: dataPolicy(true),
      pendingWindow: Duration.days(30),
    });
  }
}
