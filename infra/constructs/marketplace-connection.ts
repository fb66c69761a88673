import { SecretValue, Validations } from 'aws-cdk-lib';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { ConnectorSettings } from '../settings.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorTables } from './connector-tables.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';

export interface MarketplaceConnectionProps extends ConnectorSettings {
  /** Base URL of the Partner Marketplace API without `/api/v1` and without a slash at its end. */
  readonly baseUrl: string;
  /** The partner client ID that requests are signed for. */
  readonly partnerClientId: string;
  /** Key for a new partner secret. */
  readonly encryptionKey: DataKey;
  readonly tables: ConnectorTables;
}

/** Access to the marketplace: its URL, the partner's ID and secret, and the limits of requests. */
export class MarketplaceConnection extends Construct {
  readonly secret: ISecret;
  private readonly props: MarketplaceConnectionProps;

  constructor(scope: Construct, id: string, props: MarketplaceConnectionProps) {
    super(scope, id);
    this.props = props;
    // With exactOptionalPropertyTypes CDK's class does not match its own interface.
    this.secret = (
      props.partnerSecretArn
        ? Secret.fromSecretCompleteArn(this, 'PartnerSecret', props.partnerSecretArn)
        : this.createSecret()
    ) as ISecret;
  }

  private createSecret(): Secret {
    const secret = new Secret(this, 'PartnerSecret', {
      description: 'JSON with partnerSecretKey and, optionally, webhookSecrets',
      // Functions refuse this placeholder with a clear error (P9); a generated value would look like a wrong secret. Later deployments
      // keep the partner's own value as long as the placeholder does not change.
      secretStringValue: SecretValue.unsafePlainText(JSON.stringify({ partnerSecretKey: 'REPLACE_ME' })),
      encryptionKey: this.props.encryptionKey.key,
      removalPolicy: dataPolicy(true),
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The marketplace issues the partner secret; AWS can not rotate it. Rotation by hand needs no deployment.',
    });
    return secret;
  }

  /**
   * Lets `fn` send requests. Gives it the marketplace's URL, the limits, the secret to sign with, and the stores: `fn` reads their
   * tokens, and may suspend them.
   */
  allowRequests(fn: ConnectorFunction): void {
    const { baseUrl, requestTimeoutSeconds, attemptLifetimeSeconds, credentialsRetrySeconds } = this.props;
    this.allowSecret(fn);
    this.allowMeasuring(fn);
    this.props.tables.stores.allow(fn, 'GetItem', 'UpdateItem');
    fn.set({ marketplaceBaseUrl: baseUrl, requestTimeoutSeconds });
    fn.set({ attemptLifetimeSeconds, credentialsRetrySeconds });
  }

  /** Lets `fn` measure how much of the allowed rate is used. */
  allowMeasuring(fn: ConnectorFunction): void {
    const { partnerClientId, requestsPerSecond, requestsInFlight, restoredTables } = this.props;
    this.props.tables.limits.allow(fn, 'GetItem', 'UpdateItem');
    fn.set({ partnerClientId, requestsPerSecond, requestsInFlight });
    if (restoredTables !== undefined) fn.set({ restoredTables });
  }

  /** Gives `fn` the partner's ID and the secret's ARN, and lets it read the secret. */
  allowSecret(fn: ConnectorFunction): void {
    const { partnerClientId, partnerSecretArn, encryptionKey } = this.props;
    fn.set({ partnerClientId, partnerSecretArn: this.secret.secretArn });
    fn.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    if (partnerSecretArn === undefined) encryptionKey.allowThrough('secretsmanager', fn, 'kms:Decrypt');
  }
}
