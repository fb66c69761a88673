import { join } from 'node:path';
import { Annotations, Duration, Stack, Token } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SecurityGroup, type SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { IAM_MINIMIZE_POLICIES, LAMBDA_CREATE_NEW_POLICIES_WITH_ADDTOROLEPOLICY } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import { baseUrlPattern, baseUrlRule, MOST_NAME_CHARACTERS } from '../shared/settings/stack-rules.ts';
import type { ConnectorParts } from './connector-parts.ts';
import { ConnectorAlarms } from './constructs/connector-alarms.ts';
import { ConnectorApi } from './constructs/connector-api.ts';
import { ConnectorBuckets } from './constructs/connector-buckets.ts';
import { ConnectorBus } from './constructs/connector-bus.ts';
import type { FunctionNetwork } from './constructs/connector-function.ts';
import { createQueues } from './constructs/connector-queues.ts';
import { createTables } from './constructs/connector-tables.ts';
import { DataKey } from './constructs/data-key.ts';
import { FlowDashboard } from './constructs/flow-dashboard.ts';
import { MarketplaceConnection } from './constructs/marketplace-connection.ts';
import { SavedQueries } from './constructs/saved-queries.ts';
import type { FunctionName } from './function-names.ts';
import { createFunctions } from './functions/all-functions.ts';
import { completeSettings } from './read-settings.ts';
import type { SettingProps } from './setting-props.ts';

/** Each request has the ID in a header. Other characters there get changed or refused on the way, which breaks the signature. */
export const partnerClientIdPattern = '^[!-~]+$';

/** The rule of {@link partnerClientIdPattern}, in words. */
export const partnerClientIdRule = 'must be visible ASCII without spaces';

export interface MarketplaceConnectorProps {
  /** Base URL of the Partner Marketplace API, without `/api/v1` and without a slash at its end. */
  readonly marketplaceBaseUrl: string;
  /** Partner client ID that the marketplace issued. */
  readonly partnerClientId: string;
  /** Settings by name. Each setting has a default. Default: `{}`. */
  readonly settings?: SettingProps;
  /**
   * An existing bus of the same account and region, for events in and out. On it, events of unknown `detail-type` are ignored. On a new
   * bus they are rejected with a reason. Default: a new bus.
   */
  readonly eventBus?: IEventBus;
  /**
   * An existing symmetric key for store tokens, partner secret and order documents. Its policy must let IAM policies of the account give
   * access to the key, as CDK's default policy does. Default: a new key, which rotates and outlives the stack.
   */
  readonly encryptionKey?: IKey;
  /**
   * VPC in which the functions run. The VPC needs a way to the marketplace and to the AWS services, such as a NAT gateway. Default:
   * outside any VPC.
   */
  readonly vpc?: IVpc;
  /** Subnets of `vpc`. Default: the private ones. */
  readonly vpcSubnets?: SubnetSelection;
  /** Security groups of the functions in `vpc`. Default: a new group that lets all traffic out and none in. */
  readonly securityGroups?: readonly ISecurityGroup[];
  /** Topic that urgent alarms notify. Default: none, the alarms only change their state. */
  readonly alarmTopic?: ITopic;
  /** Topic for alarms that can wait for the next day. Default: `alarmTopic`. */
  readonly nextDayAlarmTopic?: ITopic;
  /** The bundle of each function: a folder or archive with `index.mjs`. Default: the one in this package. */
  readonly code?: (name: FunctionName) => Code;
}

/**
 * The whole connector of one partner client ID, for any number of its stores, in any region of the partitions `aws` and
 * `aws-us-gov`. A stack has at most one connector: it has about 300 of the 500 resources that a stack may have.
 */
export class MarketplaceConnector extends Construct {
  /** Bus of the events in and out. */
  readonly eventBus: IEventBus;
  /** Queue of stock and price changes, for partners who skip the bus. */
  readonly changesQueue: IQueue;
  /** Bucket that takes files of products, stock and prices. */
  readonly importBucket: IBucket;
  /** Bucket of shipping labels and invoices. */
  readonly documentBucket: IBucket;
  /** Secret that holds the partner's key at the marketplace; to be set after the first deployment. */
  readonly partnerSecret: ISecret;
  /** Key for store tokens, partner secret and order documents. */
  readonly encryptionKey: IKey;
  /** Base URL of the operations API, without a slash at its end. */
  readonly apiUrl: string;
  /** URL to which the marketplace sends final summaries. */
  readonly webhookUrl: string;
  /** URLs, names and ARNs that partners and operators use, by the names of the stack outputs in the documentation. */
  readonly outputs: Readonly<Record<string, string>>;
  private readonly api: ConnectorApi;

  /**
   * @throws Error if `marketplaceBaseUrl`, `partnerClientId` or a setting has an unusable value, if the region is one of `aws-cn`,
   * if the names around the connector are too long, or if the stack has a connector already
   */
  constructor(scope: Construct, id: string, props: MarketplaceConnectorProps) {
    super(scope, id);
    // Set here, as the app may not set this flag. Without it, the largest role exceeds what IAM allows inline, or each grant is a resource.
    this.node.setContext(IAM_MINIMIZE_POLICIES, true);
    this.node.setContext(LAMBDA_CREATE_NEW_POLICIES_WITH_ADDTOROLEPOLICY, false);
    this.check(props);
    const parts = this.createParts(props);
    const functions = createFunctions(parts);
    this.api = new ConnectorApi(this, 'HttpApi', {
      webhookReceiver: functions['webhook-receiver'],
      onboardingCallback: functions['onboarding-callback'],
      operations: functions['operations-api'],
      ...parts.settings,
    });
    functions['operations-api'].set({ apiUrl: this.api.url });
    new ConnectorAlarms(this, 'Alarms', {
      queues: Object.values(parts.queues),
      api: this.api,
      functions: Object.values(functions),
      tables: Object.values(parts.tables),
      oldestCycleAge: Duration.minutes(2 * 60 * parts.settings.verifierCycleHours + 60),
      rules: this.node.findAll().filter((it) => it instanceof Rule),
      topics: { urgent: props.alarmTopic, nextDay: props.nextDayAlarmTopic ?? props.alarmTopic },
      alarmOkMessages: parts.settings.alarmOkMessages,
    });
    new FlowDashboard(this, 'Flow', { queues: parts.queues, functions, api: this.api });
    new SavedQueries(this, 'Queries', functions);
    this.eventBus = parts.bus.bus;
    this.changesQueue = parts.queues.changes.queue;
    this.importBucket = parts.buckets.imports.bucket as IBucket;
    this.documentBucket = parts.buckets.documents.bucket as IBucket;
    this.partnerSecret = parts.marketplace.secret;
    this.encryptionKey = parts.encryptionKey.key;
    this.apiUrl = this.api.url;
    this.webhookUrl = this.api.webhookUrl;
    this.outputs = outputsOf(parts, this.api);
  }

  /** Lets `grantee` call the operations API. */
  grantInvokeApi(grantee: IGrantable): Grant {
    return this.api.grantInvoke(grantee);
  }

  private check(props: MarketplaceConnectorProps): void {
    const { marketplaceBaseUrl, partnerClientId, vpc, vpcSubnets, securityGroups } = props;
    if (!isUsable(marketplaceBaseUrl, baseUrlPattern)) throw new Error(`marketplaceBaseUrl ${baseUrlRule}`);
    if (!isUsable(partnerClientId, partnerClientIdPattern))
      throw new Error(`partnerClientId ${partnerClientIdRule}`);
    if (!vpc && (vpcSubnets || securityGroups)) throw new Error('vpcSubnets and securityGroups need vpc');
    const { region } = Stack.of(this);
    if (!Token.isUnresolved(region) && region.startsWith('cn-'))
      throw new Error(`the region ${region} is not supported: the domain of AWS services differs in aws-cn`);
    this.checkNames();
    const connectors = Stack.of(this)
      .node.findAll()
      .filter((it) => it instanceof MarketplaceConnector);
    if (connectors.length > 1) {
      throw new Error('a stack has at most one connector, as its metrics bear the name of the stack');
    }
  }

  private checkNames(): void {
    const stack = Stack.of(this);
    if (Token.isUnresolved(stack.stackName)) return;
    // CloudFormation's names of resources have no `Default`.
    const around = this.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
    const names = [stack.stackName, ...around.filter((id) => id !== 'Default')];
    const characters = names.join('').length;
    if (characters > MOST_NAME_CHARACTERS) {
      throw new Error(
        `${names.join(' and ')} have ${characters} characters together; the name of the stack and the IDs of the constructs around the connector may have ${MOST_NAME_CHARACTERS}`,
      );
    }
  }

  private createParts(props: MarketplaceConnectorProps): ConnectorParts {
    const { marketplaceBaseUrl, partnerClientId, eventBus } = props;
    const settings = completeSettings(props.settings ?? {});
    if (eventBus && settings.senderAccounts)
      throw new Error(
        'senderAccounts are for a bus of the connector: put them into the policy of your own bus',
      );
    const encryptionKey = new DataKey(this, 'DataKey', props.encryptionKey);
    const queues = createQueues(this, settings);
    const tables = createTables(this, settings, encryptionKey);
    return {
      scope: this,
      code: props.code ?? packagedCode,
      settings,
      network: this.createNetwork(props),
      encryptionKey,
      queues,
      tables,
      buckets: new ConnectorBuckets(this, 'Buckets', settings, encryptionKey),
      bus: new ConnectorBus(this, 'Events', queues, { existing: eventBus, ...settings }),
      marketplace: new MarketplaceConnection(this, 'Marketplace', {
        ...settings,
        baseUrl: marketplaceBaseUrl,
        partnerClientId,
        encryptionKey,
        tables,
      }),
    };
  }

  private createNetwork({ vpc, vpcSubnets, securityGroups }: MarketplaceConnectorProps): FunctionNetwork {
    if (!vpc) return {};
    const description = 'Functions of the Marketplace Connector';
    const groups = securityGroups ?? [new SecurityGroup(this, 'SecurityGroup', { vpc, description })];
    const isolated = new Set(vpc.isolatedSubnets.map(({ subnetId }) => subnetId));
    if (vpc.selectSubnets(vpcSubnets).subnetIds.some((subnetId) => isolated.has(subnetId)))
      Annotations.of(this).addWarningV2(
        'marketplace-connector:isolatedSubnets',
        'the functions run in isolated subnets: without a way of your own to the marketplace and to the AWS services, such as a NAT gateway, nothing is sent',
      );
    return { vpc, ...(vpcSubnets ? { vpcSubnets } : {}), securityGroups: [...groups] };
  }
}

/**
 * Whether a value matches its pattern. CloudFormation checks the value of a parameter. The value may be undefined, whatever its type
 * says, if it comes from an environment variable that is not set. As a text, `undefined` would match.
 */
function isUsable(value: string | undefined, pattern: string): boolean {
  if (value === undefined) return false;
  return Token.isUnresolved(value) || new RegExp(pattern).test(value);
}

/** The bundles are beside the compiled library. `npm run build` makes both. */
function packagedCode(name: FunctionName): Code {
  return Code.fromAsset(join(import.meta.dirname, '..', 'assets', name));
}

function outputsOf(parts: ConnectorParts, api: ConnectorApi) {
  const { bus, tables, buckets, queues, marketplace, encryptionKey } = parts;
  return {
    EventBusName: bus.bus.eventBusName,
    ChangeArchiveArn: bus.archive.archiveArn,
    ChangesRuleArn: bus.changesRule.ruleArn,
    ApiUrl: api.url,
    WebhookUrl: api.webhookUrl,
    ...(api.domainTarget && { DomainTarget: api.domainTarget }),
    BatchesTableName: tables.batches.table.tableName,
    ListingsTableName: tables.listings.table.tableName,
    StoresTableName: tables.stores.table.tableName,
    DocumentBucketName: buckets.documents.bucket.bucketName,
    ImportBucketName: buckets.imports.bucket.bucketName,
    ChangesQueueUrl: queues.changes.queue.queueUrl,
    PartnerSecretArn: marketplace.secret.secretArn,
    DataKeyArn: encryptionKey.key.keyArn,
    ...Object.fromEntries(
      Object.values(queues).map(({ node, deadLetters }) => [
        `${node.id}DeadLettersArn`,
        deadLetters.queueArn,
      ]),
    ),
  };
}
