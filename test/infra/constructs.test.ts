import { Duration, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { ConnectorAlarms } from '../../infra/constructs/connector-alarms.ts';
import { ConnectorApi } from '../../infra/constructs/connector-api.ts';
import { ConnectorBuckets } from '../../infra/constructs/connector-buckets.ts';
import { ConnectorBus } from '../../infra/constructs/connector-bus.ts';
import { ConnectorFunction } from '../../infra/constructs/connector-function.ts';
import { ConnectorQueue } from '../../infra/constructs/connector-queue.ts';
import { ConnectorTable } from '../../infra/constructs/connector-table.ts';
import { createTables } from '../../infra/constructs/connector-tables.ts';
import { DataKey } from '../../infra/constructs/data-key.ts';
import { MarketplaceConnection } from '../../infra/constructs/marketplace-connection.ts';
import { completeSettings } from '../../infra/read-settings.ts';
import { createPartnerStack, inlineCode } from './support/stacks.ts';
import { functionsOf } from './support/template.ts';

function createFunction(stack: Stack, id = 'Mine'): ConnectorFunction {
  return new ConnectorFunction(stack, id, {
    serviceName: 'mine',
    description: "A function of the partner's own",
    code: inlineCode(),
    timeout: Duration.seconds(10),
  });
}

/** The grants of the function with that construct ID, as `action on resource`, without logs and traces. */
function grantsOf(stack: Stack, id = 'Mine'): string[] {
  const fn = functionsOf(Template.fromStack(stack)).find((candidate) => candidate.name === id);
  return (fn?.statements ?? [])
    .flatMap(({ actions, resources }) =>
      actions.flatMap((action) => resources.map((it) => `${action} on ${it}`)),
    )
    .filter((grant) => !/^(logs|xray):/.test(grant))
    .sort();
}

describe('each construct, alone in a stack of the partner', () => {
  it('ConnectorFunction may only log and trace', () => {
    const stack = createPartnerStack();
    createFunction(stack);

    expect(grantsOf(stack)).toEqual([]);
  });

  it('ConnectorFunction refuses a schedule by which it may run twice at a time', () => {
    const fn = createFunction(createPartnerStack());

    expect(() => fn.startEvery('Often', Duration.seconds(9))).toThrow('Partner/Mine may run for longer than');
  });

  it('ConnectorQueue has a dead-letter queue and grants reading and sending to the given function', () => {
    const stack = createPartnerStack();
    const queue = new ConnectorQueue(stack, 'Queue', {
      variable: 'wakeQueueUrl',
      consumerTimeout: Duration.seconds(10),
    });
    const fn = createFunction(stack);
    queue.feed(fn, { batchSize: 5, maxConcurrency: 2 });
    queue.allowSend(fn);

    Template.fromStack(stack).resourceCountIs('AWS::SQS::Queue', 2);
    expect(grantsOf(stack)).toEqual([
      'sqs:DeleteMessage on Queue.Arn',
      'sqs:GetQueueAttributes on Queue.Arn',
      'sqs:ReceiveMessage on Queue.Arn',
      'sqs:SendMessage on Queue.Arn',
    ]);
  });

  it('ConnectorTable grants only the requested actions, and each index separately', () => {
    const stack = createPartnerStack();
    const table = new ConnectorTable(stack, 'Table', {
      variable: 'lanesTable',
      partitionKey: 'storeClientId',
    });
    const fn = createFunction(stack);
    table.allow(fn, 'GetItem');
    table.allowQuery(fn, 'waiting');

    expect(grantsOf(stack)).toEqual([
      'dynamodb:GetItem on Table.Arn',
      'dynamodb:Query on Table.Arn/index/waiting',
    ]);
  });

  it('createTables lets a reader of a store decrypt and only a writer encrypt', () => {
    const stack = createPartnerStack();
    const tables = createTables(stack, 'Tables', {
      ...completeSettings({}),
      encryptionKey: new DataKey(stack, 'Key'),
    });
    tables.stores.allow(createFunction(stack, 'Reader'), 'GetItem');
    tables.stores.allow(createFunction(stack, 'Writer'), 'UpdateItem');

    expect(grantsOf(stack, 'Reader')).toEqual([
      'dynamodb:GetItem on TablesStoresTable.Arn',
      'kms:Decrypt on Key.Arn',
      'kms:DescribeKey on Key.Arn',
    ]);
    expect(grantsOf(stack, 'Writer')).toEqual([
      'dynamodb:UpdateItem on TablesStoresTable.Arn',
      'kms:Decrypt on Key.Arn',
      'kms:DescribeKey on Key.Arn',
      'kms:Encrypt on Key.Arn',
      'kms:GenerateDataKey on Key.Arn',
      'kms:ReEncryptFrom on Key.Arn',
      'kms:ReEncryptTo on Key.Arn',
    ]);
  });

  it('ConnectorBuckets grants reading, writing and listing separately', () => {
    const stack = createPartnerStack();
    const buckets = new ConnectorBuckets(stack, 'Buckets', { encryptionKey: new DataKey(stack, 'Key') });
    const fn = createFunction(stack);
    buckets.documents.allowPut(fn);
    buckets.documents.allowList(fn);
    buckets.archive.allowGet(fn);

    expect(grantsOf(stack)).toEqual([
      'kms:Decrypt on Key.Arn',
      'kms:GenerateDataKey on Key.Arn',
      's3:GetObject on BucketsArchiveBucket.Arn/*',
      's3:ListBucket on BucketsDocumentsBucket.Arn',
      's3:PutObject on BucketsDocumentsBucket.Arn/*',
    ]);
  });

  it('ConnectorBus routes any detail types that the partner names', () => {
    const stack = createPartnerStack();
    const queue = (id: string) => new ConnectorQueue(stack, id, { consumerTimeout: Duration.seconds(10) });
    const bus = new ConnectorBus(stack, 'Events', {
      routes: { Returns: { detailTypes: ['return.requested'], queue: queue('Returns') } },
      others: queue('Others'),
    });
    bus.allowPut(createFunction(stack));

    Template.fromStack(stack).hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ 'detail-type': [{ 'anything-but': ['return.requested'] }] }),
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^OthersQueue'), 'Arn'] } })],
    });
    expect(grantsOf(stack)).toEqual(['events:PutEvents on EventsBus.Arn']);
  });

  it('MarketplaceConnection lets a function sign and gives it the address and the rate', () => {
    const stack = createPartnerStack();
    const marketplace = new MarketplaceConnection(stack, 'Marketplace', {
      baseUrl: 'https://api.marketplace.example',
      partnerClientId: 'partner',
      encryptionKey: new DataKey(stack, 'Key'),
      limits: new ConnectorTable(stack, 'Limits', {
        partitionKey: 'limitId',
        variable: 'limitsTable',
      }),
      requestsPerSecond: 3,
      requestsInFlight: 2,
      requestTimeoutSeconds: 10,
      attemptLifetimeSeconds: 20,
      credentialsRetrySeconds: 40,
    });
    marketplace.allowRequests(createFunction(stack));

    expect(grantsOf(stack)).toEqual([
      'dynamodb:GetItem on LimitsTable.Arn',
      'dynamodb:UpdateItem on LimitsTable.Arn',
      'kms:Decrypt on Key.Arn',
      'secretsmanager:GetSecretValue on MarketplacePartnerSecret',
    ]);
    expect(functionsOf(Template.fromStack(stack))[0]?.environment).toMatchObject({
      MARKETPLACE_BASE_URL: 'https://api.marketplace.example',
      REQUESTS_PER_SECOND: '3',
      REQUESTS_IN_FLIGHT: '2',
      REQUEST_TIMEOUT_SECONDS: '10',
      ATTEMPT_LIFETIME_SECONDS: '20',
      CREDENTIALS_RETRY_SECONDS: '40',
    });
  });

  it('ConnectorApi requires IAM on every route except the webhook and the callback', () => {
    const stack = createPartnerStack();
    new ConnectorApi(stack, 'Api', {
      webhookReceiver: createFunction(stack, 'Receiver'),
      onboardingCallback: createFunction(stack, 'Callback'),
      operations: createFunction(stack, 'Operations'),
      operationsRoutes: ['GET /returns'],
      webhookThrottle: { rateLimit: 10, burstLimit: 20 },
      callbackThrottle: { rateLimit: 1, burstLimit: 2 },
      operationsThrottle: { rateLimit: 10, burstLimit: 20 },
    });

    const routes = Object.values(Template.fromStack(stack).findResources('AWS::ApiGatewayV2::Route'));
    expect(routes.map(({ Properties }) => [Properties.RouteKey, Properties.AuthorizationType])).toEqual([
      ['POST /webhooks/marketplace', 'NONE'],
      ['GET /onboarding/callback', 'NONE'],
      ['GET /returns', 'AWS_IAM'],
    ]);
  });

  it('ConnectorAlarms watches the given resources', () => {
    const stack = createPartnerStack();
    new ConnectorAlarms(stack, 'Alarms', {
      queues: [new ConnectorQueue(stack, 'Queue', { consumerTimeout: Duration.seconds(10) })],
      functions: [createFunction(stack)],
      oldestCycleAge: Duration.minutes(5),
    });

    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::CloudWatch::Alarm', 16);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 15 * 60,
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'OldestChangeAge',
      Threshold: 15 * 60_000,
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'OldestCycleAge',
      Threshold: 300_000,
    });
  });
});
