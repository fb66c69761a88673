import { RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { environmentNames } from '../../shared/settings/environment.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorTable } from './connector-table.ts';
import type { DataKey } from './data-key.ts';

export interface MarketplaceConnectionProps {
  /** Base URL of the Partner Marketplace API without `/api/v1` and without a slash at its end. */
  readonly baseUrl: string;
  /** The partner client ID that requests are signed for. */
  readonly partnerClientId: string;
  /** Key over the partner secret. */
  readonly encryptionKey: DataKey;
  /** Where the functions keep count of their requests together. */
  readonly limits: ConnectorTable;
  /** Requests per second of all functions together. */
  readonly requestsPerSecond: number;
  /** Requests in flight of all functions together. */
  readonly requestsInFlight: number;
  /** Seconds to wait for the answer to one request. */
  readonly requestTimeoutSeconds: number;
  /** Seconds after its signature within which a request is assumed to land, or never to. */
  readonly attemptLifetimeSeconds: number;
  /** Seconds for which lanes stay stopped while the partner's credentials are refused, before one tries them again. */
  readonly credentialsRetrySeconds: number;
}

/** The way to the marketplace: where it is, who the partner is, and the secret to sign with. */
export class MarketplaceConnection extends Construct {
  readonly secret: Secret;
  private readonly props: MarketplaceConnectionProps;

  constructor(scope: Construct, id: string, props: MarketplaceConnectionProps) {
    super(scope, id);
    this.props = props;
    this.secret = new Secret(this, 'PartnerSecret', {
      description: 'JSON with partnerSecretKey and, optionally, webhookSecrets',
      // A marked placeholder in place of a generated value: a function refuses it, so a forgotten secret can not
      // pass for a wrong one. Later deployments leave the partner's own value alone, as this one never changes.
      secretStringValue: SecretValue.unsafePlainText(JSON.stringify({ partnerSecretKey: 'REPLACE_ME' })),
      encryptionKey: props.encryptionKey,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The marketplace issues the partner secret; AWS can not rotate it. Rotation by hand needs no deployment.',
    });
  }

  /** Tells `fn` where the marketplace is and what rate to keep to, and lets it sign requests. */
  allowRequests(fn: ConnectorFunction): void {
    this.allowSecret(fn);
    this.props.limits.allow(fn, 'GetItem', 'UpdateItem');
    fn.set(environmentNames.marketplaceBaseUrl, this.props.baseUrl)
      .set(environmentNames.requestsPerSecond, this.props.requestsPerSecond)
      .set(environmentNames.requestsInFlight, this.props.requestsInFlight)
      .set(environmentNames.requestTimeoutSeconds, this.props.requestTimeoutSeconds)
      .set(environmentNames.attemptLifetimeSeconds, this.props.attemptLifetimeSeconds)
      .set(environmentNames.credentialsRetrySeconds, this.props.credentialsRetrySeconds);
  }

  /** Lets `fn` see how much of the allowed rate is used. */
  allowMeasuring(fn: ConnectorFunction): void {
    this.props.limits.allow(fn, 'GetItem', 'UpdateItem');
    fn.set(environmentNames.partnerClientId, this.props.partnerClientId).set(
      environmentNames.requestsPerSecond,
      this.props.requestsPerSecond,
    );
  }

  /** Tells `fn` who the partner is and where the secret lies, and lets it read the secret. */
  allowSecret(fn: ConnectorFunction): void {
    fn.set(environmentNames.partnerClientId, this.props.partnerClientId).set(
      environmentNames.partnerSecretArn,
      this.secret.secretArn,
    );
    fn.allow(['secretsmanager:GetSecretValue'], [this.secret.secretArn]);
    this.props.encryptionKey.allowThrough('secretsmanager', fn, 'kms:Decrypt');
  }
}
