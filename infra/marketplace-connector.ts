import { Token } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type ConnectorParts, createFunctions } from './connector-parts.ts';
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

/** HTTPS, as each request carries a store's token; HTTP on this machine only. A path may follow, a query may not. */
export const baseUrlPattern =
  '^(?!.*/api/v1$)(https://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])|http://(127\\.0\\.0\\.1|localhost|\\[::1\\]))' +
  '(:[0-9]{1,5})?(/[A-Za-z0-9._~%-]+)*$';

/** The rule of {@link baseUrlPattern}, in words. */
export const baseUrlRule =
  'must start with https:// (http:// on this machine only), name a host and at most a path, and end neither in /api/v1 nor in a slash';

export interface MarketplaceConnectorProps {
  /** Base URL of the Partner Marketplace API, without `/api/v1` and without a slash at its end. */
  readonly marketplaceBaseUrl: string;
  /** Partner client ID that the marketplace issued. */
  readonly partnerClientId: string;
  readonly settings: ConnectorSettings;
  /** The bundle of each function: a folder or archive with `index.mjs`. */
  readonly code: (name: FunctionName) => Code;
  /** Topic that the alarms notify. Default: none, the alarms only change their state. */
  readonly alarmTopic?: ITopic;
}

/** The whole connector of one partner client ID, for any number of its stores, in any account and region. */
export class MarketplaceConnector extends Construct {
  /** What partners and operators need to use the connector, by the names that the documentation has for them. */
  readonly outputs: Readonly<Record<string, string>>;

  /** @throws Error if `marketplaceBaseUrl` is not such a URL */
  constructor(scope: Construct, id: string, props: MarketplaceConnectorProps) {
    super(scope, id);
    const { marketplaceBaseUrl, settings, alarmTopic } = props;
    if (!Token.isUnresolved(marketplaceBaseUrl) && !new RegExp(baseUrlPattern).test(marketplaceBaseUrl)) {
      throw new Error(`marketplaceBaseUrl ${baseUrlRule}`);
    }
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
      ...throttles(settings),
      logRetentionDays: settings.logRetentionDays,
    });
    functions['operations-api'].set({ apiUrl: api.url });
    this.addAlarms(parts, api, Object.values(functions), alarmTopic);
    this.outputs = outputsOf(parts, api);
  }

  private createParts(props: MarketplaceConnectorProps): ConnectorParts {
    const { marketplaceBaseUrl, partnerClientId, settings, code } = props;
    const { protectData, archiveRetentionDays } = settings;
    const encryptionKey = new DataKey(this, 'DataKey');
    const queues = new ConnectorQueues(this, 'Queues');
    const tables = createTables(this, 'Tables', { encryptionKey, protectData });
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
        baseUrl: marketplaceBaseUrl,
        partnerClientId,
        encryptionKey,
        limits: tables.limits,
      }),
    };
  }

  private addAlarms(
    parts: ConnectorParts,
    api: ConnectorApi,
    functions: readonly ConnectorFunction[],
    alarmTopic: ITopic | undefined,
  ): void {
    new ConnectorAlarms(this, 'Alarms', {
      queues: parts.queues.all(),
      api,
      functions,
      tables: Object.values(parts.tables),
      rules: this.node.findAll().filter((it) => it instanceof Rule),
      ...(alarmTopic ? { alarmTopic } : {}),
    });
  }
}

function outputsOf(parts: ConnectorParts, api: ConnectorApi) {
  const { bus, tables, buckets, queues, marketplace, encryptionKey } = parts;
  return {
    EventBusName: bus.bus.eventBusName,
    ApiUrl: api.url,
    WebhookUrl: api.webhookUrl,
    BatchesTableName: tables.batches.table.tableName,
    ListingsTableName: tables.listings.table.tableName,
    StoresTableName: tables.stores.table.tableName,
    DocumentBucketName: buckets.documents.bucket.bucketName,
    ImportBucketName: buckets.imports.bucket.bucketName,
    ChangesQueueUrl: queues.changes.queue.queueUrl,
    PartnerSecretArn: marketplace.secret.secretArn,
    DataKeyArn: encryptionKey.keyArn,
    ...Object.fromEntries(
      queues.all().map(({ node, deadLetters }) => [`${node.id}DeadLettersArn`, deadLetters.queueArn]),
    ),
  };
}

function throttles(settings: ConnectorSettings) {
  return {
    webhookThrottle: { rateLimit: settings.webhookRateLimit, burstLimit: settings.webhookBurstLimit },
    callbackThrottle: { rateLimit: settings.callbackRateLimit, burstLimit: settings.callbackBurstLimit },
    operationsThrottle: { rateLimit: settings.apiRateLimit, burstLimit: settings.apiBurstLimit },
  };
}
