import { SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { ConnectorSettings } from '../settings.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorTable } from './connector-table.ts';
import type { DataKey } from './data-key.ts';
import { dataPolicy } from './data-policy.ts';

type RequestSettings =
  | 'requestsPerSecond'
  | 'requestsInFlight'
  | 'requestTimeoutSeconds'
  | 'attemptLifetimeSeconds'
  | 'credentialsRetrySeconds';

export interface MarketplaceConnectionProps extends Pick<ConnectorSettings, RequestSettings> {
  /** Base URL of the Partner Marketplace API without `/api/v1` and without a slash at its end. */
  readonly baseUrl: string;
  /** The partner client ID that requests are signed for. */
  readonly partnerClientId: string;
  /** ARN of an existing secret to use. Default: the stack creates one with a placeholder. */
  readonly partnerSecretArn?: string | undefined;
  /** Key over the secret that the stack creates. */
  readonly encryptionKey: DataKey;
  /** Where the functions keep count of their requests together. */
  readonly limits: ConnectorTable;
}

/** The way to the marketplace: where it is, who the partner is, and the secret to sign with. */
export class MarketplaceConnection extends Construct {
  readonly secretArn: string;
  private readonly props: MarketplaceConnectionProps;

  constructor(scope: Construct, id: string, props: MarketplaceConnectionProps) {
    super(scope, id);
    this.props = props;
    this.secretArn = props.partnerSecretArn ?? this.createSecret().secretArn;
  }

  private createSecret(): Secret {
    const secret = new Secret(this, 'PartnerSecret', {
      description: 'JSON with partnerSecretKey and, optionally, webhookSecrets',
      // A marked placeholder in place of a generated value: functions refuse it, so a forgotten secret can not pass for a
      // wrong one. Later deployments leave the partner's own value alone, as this one never changes.
      secretStringValue: SecretValue.unsafePlainText(JSON.stringify({ partnerSecretKey: 'REPLACE_ME' })),
      encryptionKey: this.props.encryptionKey,
      removalPolicy: dataPolicy(true),
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The marketplace issues the partner secret; AWS can not rotate it. Rotation by hand needs no deployment.',
    });
    return secret;
  }

  /** Gives `fn` the marketplace's URL and the limits to keep to, and lets it sign requests. */
  allowRequests(fn: ConnectorFunction): void {
    const { baseUrl, requestsInFlight, requestTimeoutSeconds } = this.props;
    const { attemptLifetimeSeconds, credentialsRetrySeconds } = this.props;
    this.allowSecret(fn);
    this.allowMeasuring(fn);
    fn.set({ marketplaceBaseUrl: baseUrl, requestsInFlight, requestTimeoutSeconds });
    fn.set({ attemptLifetimeSeconds, credentialsRetrySeconds });
  }

  /** Lets `fn` see how much of the allowed rate is used. */
  allowMeasuring(fn: ConnectorFunction): void {
    const { partnerClientId, requestsPerSecond } = this.props;
    this.props.limits.allow(fn, 'GetItem', 'UpdateItem');
    fn.set({ partnerClientId, requestsPerSecond });
  }

  /** Gives `fn` the partner's ID and the secret's ARN, and lets it read the secret. */
  allowSecret(fn: ConnectorFunction): void {
    const { partnerClientId, partnerSecretArn, encryptionKey } = this.props;
    fn.set({ partnerClientId, partnerSecretArn: this.secretArn });
    fn.allow(['secretsmanager:GetSecretValue'], [this.secretArn]);
    if (partnerSecretArn === undefined) encryptionKey.allowThrough('secretsmanager', fn, 'kms:Decrypt');
  }
}
