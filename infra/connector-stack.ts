import { CfnOutput, CfnParameter, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type ConnectorParts, createFunctions } from './connector-parts.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { ConnectorAlarms } from './constructs/connector-alarms.ts';
import { ConnectorApi } from './constructs/connector-api.ts';
import { ConnectorBuckets } from './constructs/connector-buckets.ts';
import { ConnectorBus } from './constructs/connector-bus.ts';
import type { ConnectorFunction } from './constructs/connector-function.ts';
import { ConnectorQueues } from './constructs/connector-queues.ts';
import { createTables } from './constructs/connector-tables.ts';
import { DataKey } from './constructs/data-key.ts';
import { MarketplaceConnection } from './constructs/marketplace-connection.ts';
import type { FunctionName } from './function-names.ts';
import { answerFunctions } from './functions/answer-functions.ts';
import { commandFunctions } from './functions/command-functions.ts';
import { httpFunctions } from './functions/http-functions.ts';
import { listingFunctions } from './functions/listing-functions.ts';
import { eventRoutes, operationsRoutes } from './routes.ts';
import type { ConnectorSettings } from './settings.ts';

/** Without TLS no further than this machine, as each request carries a store's token; a path, but no more of a URL. */
const baseUrlPattern =
  '^(?!.*/api/v1$)(https://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])|http://(127\\.0\\.0\\.1|localhost|\\[::1\\]))' +
  '(:[0-9]{1,5})?(/[A-Za-z0-9._~%-]+)*$';

export interface ConnectorStackProps extends StackProps {
  /** The bundle of each function: a folder or archive with `index.mjs`. */
  readonly code: (name: FunctionName) => Code;
  readonly settings: ConnectorSettings;
}

/**
 * The whole connector of one partner client ID, for any number of its stores, in any account and region. What differs
 * per deployment comes as the stack parameters `MarketplaceBaseUrl` and `PartnerClientId`.
 */
export class ConnectorStack extends Stack {
  constructor(scope: Construct, id: string, props: ConnectorStackProps) {
    super(scope, id, {
      ...props,
      terminationProtection: props.terminationProtection ?? refusesDeletion(props.settings),
      tags: { application: 'marketplace-connector', ...props.tags },
    });
    const parts = this.createParts(props);
    const functions = createFunctions(parts, {
      ...listingFunctions,
      ...commandFunctions,
      ...answerFunctions,
      ...httpFunctions,
    });
    const api = new ConnectorApi(this, 'HttpApi', {
      webhookReceiver: functions['webhook-receiver'],
      onboardingCallback: functions['onboarding-callback'],
      operations: functions['operations-api'],
      operationsRoutes,
      ...throttles(props.settings),
      logRetentionDays: props.settings.logRetentionDays,
      webhookWebAclArn: props.settings.webhookWebAclArn,
    });
    functions['operations-api'].set({ apiUrl: api.url });
    this.addAlarms(parts, api, Object.values(functions));
    this.addOutputs(parts, api);
  }

  private createParts({ code, settings }: ConnectorStackProps): ConnectorParts {
    const baseUrl = new CfnParameter(this, 'MarketplaceBaseUrl', {
      description: 'Base URL of the Partner Marketplace API, without /api/v1 and without a slash at its end',
      allowedPattern: baseUrlPattern,
      constraintDescription:
        'must start with https:// (http:// on this machine only), name a host and at most a path, and end neither in /api/v1 nor in a slash',
    });
    const partnerClientId = new CfnParameter(this, 'PartnerClientId', {
      description: 'Partner client ID that the marketplace issued',
      minLength: 1,
    });
    const { protectData, archiveRetentionDays } = settings;
    const encryptionKey = new DataKey(this, 'DataKey');
    const queues = new ConnectorQueues(this, 'Queues');
    const deletionProtection = refusesDeletion(settings);
    const tables = createTables(this, 'Tables', { encryptionKey, protectData, deletionProtection });
    return {
      scope: this,
      code,
      settings,
      encryptionKey,
      queues,
      tables,
      buckets: new ConnectorBuckets(this, 'Buckets', { encryptionKey, protectData, archiveRetentionDays }),
      bus: new ConnectorBus(this, 'Events', { routes: eventRoutes(queues), others: queues.changes }),
      marketplace: new MarketplaceConnection(this, 'Marketplace', {
        ...settings,
        baseUrl: baseUrl.valueAsString,
        partnerClientId: partnerClientId.valueAsString,
        encryptionKey,
        limits: tables.limits,
      }),
    };
  }

  private addAlarms(parts: ConnectorParts, api: ConnectorApi, functions: readonly ConnectorFunction[]): void {
    const alarmTopic = this.alarmTopic(parts.settings);
    new ConnectorAlarms(this, 'Alarms', {
      queues: parts.queues.all(),
      api,
      functions,
      tables: Object.values(parts.tables),
      rules: this.node.findAll().filter((it) => it instanceof Rule),
      ...(alarmTopic ? { alarmTopic } : {}),
    });
  }

  private alarmTopic({ alarmTopicArn, alarmEmail }: ConnectorSettings): ITopic | undefined {
    if (alarmTopicArn) return Topic.fromTopicArn(this, 'AlarmTopic', alarmTopicArn);
    return alarmEmail ? new AlarmTopic(this, 'AlarmTopic', { email: alarmEmail }) : undefined;
  }

  private addOutputs(parts: ConnectorParts, api: ConnectorApi): void {
    const { bus, tables, buckets, queues, marketplace, encryptionKey } = parts;
    const outputs = {
      EventBusName: bus.bus.eventBusName,
      ApiUrl: api.url,
      WebhookUrl: api.webhookUrl,
      BatchesTableName: tables.batches.table.tableName,
      ListingsTableName: tables.listings.table.tableName,
      StoresTableName: tables.stores.table.tableName,
      DocumentBucketName: buckets.documents.bucket.bucketName,
      ImportBucketName: buckets.imports.bucket.bucketName,
      ChangesQueueUrl: queues.changes.queue.queueUrl,
      PartnerSecretArn: marketplace.secretArn,
      DataKeyArn: encryptionKey.keyArn,
      ...Object.fromEntries(
        queues.all().map(({ node, deadLetters }) => [`${node.id}DeadLettersArn`, deadLetters.queueArn]),
      ),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

/** Whether tables and the stack refuse deletion: with it, a first deployment that failed could not be cleared away. */
function refusesDeletion({ protectData, firstDeployment }: ConnectorSettings): boolean {
  return protectData && !firstDeployment;
}

function throttles(settings: ConnectorSettings) {
  return {
    webhookThrottle: { rateLimit: settings.webhookRateLimit, burstLimit: settings.webhookBurstLimit },
    callbackThrottle: { rateLimit: settings.callbackRateLimit, burstLimit: settings.callbackBurstLimit },
    operationsThrottle: { rateLimit: settings.apiRateLimit, burstLimit: settings.apiBurstLimit },
  };
}
