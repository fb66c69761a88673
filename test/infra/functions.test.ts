import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../infra/settings.ts';
import { DOCUMENT_LOCK_MS } from '../../shared/documents/use-cases/fetch-document.ts';
import { lockedUntil } from '../../shared/orders/rules/order-action.ts';
import { SEND_WITHIN_MS } from '../../shared/requests/use-cases/run-request.ts';
import { environmentNames } from '../../shared/settings/environment.ts';
import { createConnectorStack } from './support/stacks.ts';
import { functionsOf, readable } from './support/template.ts';

const template = Template.fromStack(createConnectorStack());
const functions = functionsOf(template);
const byName = functions.map((fn) => [fn.name, fn] as const);

function functionNamed(name: string) {
  const fn = functions.find((candidate) => candidate.name === name);
  if (!fn) throw new Error(`No function ${name}`);
  return fn;
}

describe('functions', () => {
  it('are exactly these', () => {
    expect(functions.map((fn) => fn.name).sort()).toEqual([
      'BatchSweeper',
      'CatalogImporter',
      'ChangeIntake',
      'DocumentFetcher',
      'LaneWaker',
      'ListingProducer',
      'OnboardingCallback',
      'OperationsApi',
      'OrderProducer',
      'ProductProducer',
      'SummaryProcessor',
      'WebhookReceiver',
    ]);
  });

  it.each(byName)('%s runs index.handler on Node 24, arm64, traced', (_name, { properties }) => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
    });
  });

  it.each(byName)('%s logs to a group of its own that forgets after a month', (_name, { properties }) => {
    const group = template.findResources('AWS::Logs::LogGroup')[properties.LoggingConfig.LogGroup.Ref];
    expect(group?.Properties.RetentionInDays).toBe(30);
  });

  it('may feed their own queue only where that is meant', () => {
    const allowed = functions.filter((fn) => fn.properties.RecursiveLoop === 'Allow').map((fn) => fn.name);
    expect(allowed.sort()).toEqual([
      'DocumentFetcher',
      'ListingProducer',
      'OrderProducer',
      'ProductProducer',
    ]);
  });

  it.each(['WebhookReceiver', 'OperationsApi'])('%s ends before the HTTP API gives up on it', (name) => {
    expect(functionNamed(name).properties.Timeout).toBeLessThanOrEqual(29);
  });
});

describe('with the longest times that the settings take', () => {
  const { requestTimeoutSeconds } = settingsSchema.parse({
    requestTimeoutSeconds: 22,
    attemptLifetimeSeconds: 60,
  });
  const requestMs = requestTimeoutSeconds * 1000;
  /** How long a request waits for leave at most. */
  const leaveMs = 10_000;
  const timeoutMs = (name: string) => functionNamed(name).properties.Timeout * 1000;

  it('the listing-producer has most of its time for beginning requests', () => {
    const settlingMs = 10_000;
    expect(timeoutMs('ListingProducer') - settlingMs - requestMs).toBeGreaterThan(
      timeoutMs('ListingProducer') / 2,
    );
  });

  it.each(['OrderProducer', 'ProductProducer'])(
    '%s has time, after the half of it in which requests are begun, for a request with its repetitions',
    (name) => {
      expect(timeoutMs(name) / 2).toBeGreaterThan(SEND_WITHIN_MS + leaveMs + requestMs);
    },
  );

  it('the document-fetcher has time for a request with its repetitions', () => {
    expect(timeoutMs('DocumentFetcher')).toBeGreaterThan(SEND_WITHIN_MS + leaveMs + requestMs);
  });

  it('an order is locked for longer than its request waits to leave', () => {
    expect(lockedUntil({ now: 0, attemptLifetimeMs: 0 })).toBeGreaterThan(leaveMs);
  });

  it.each(['DocumentFetcher', 'OperationsApi'])(
    '%s is surely gone before another may fetch the document that it was fetching',
    (name) => {
      expect(timeoutMs(name)).toBeLessThan(DOCUMENT_LOCK_MS);
    },
  );

  it('longer ones are refused', () => {
    const longer = { requestTimeoutSeconds: requestTimeoutSeconds + 1, attemptLifetimeSeconds: 61 };
    expect(settingsSchema.safeParse(longer).error?.issues.map(({ path }) => path)).toEqual([
      ['requestTimeoutSeconds'],
      ['attemptLifetimeSeconds'],
    ]);
  });
});

describe('the environment', () => {
  const runtimeVariables = ['NODE_OPTIONS', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_SERVICE_NAME'];

  it.each(byName)('of %s has only names that the functions know', (_name, { environment }) => {
    const known = [...Object.values<string>(environmentNames), ...runtimeVariables];
    expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
  });

  it.each(byName)('of %s holds no secret, at most the name of one', (_name, { environment }) => {
    const values = JSON.stringify(environment);
    expect(values).not.toContain('REPLACE_ME');
    expect(values).not.toContain('resolve:secretsmanager');
  });

  it('takes the marketplace’s address and the partner from the stack parameters', () => {
    expect(functionNamed('ListingProducer').environment).toMatchObject({
      MARKETPLACE_BASE_URL: 'MarketplaceBaseUrl',
      PARTNER_CLIENT_ID: 'PartnerClientId',
      PARTNER_SECRET_ARN: 'MarketplacePartnerSecret',
    });
  });

  it('passes settings on', () => {
    const slow = functionsOf(
      Template.fromStack(createConnectorStack({ requestsPerSecond: 2, itemsPerRequest: 7, pageSize: 9 })),
    );
    const environmentOf = (name: string) => slow.find((fn) => fn.name === name)?.environment;

    expect(environmentOf('ListingProducer')).toMatchObject({
      REQUESTS_PER_SECOND: '2',
      ITEMS_PER_REQUEST: '7',
    });
    expect(environmentOf('OperationsApi')).toMatchObject({ REQUESTS_PER_SECOND: '2', PAGE_SIZE: '9' });
  });
});

describe('roles', () => {
  it('have no policies but their own', () => {
    for (const role of Object.values(template.findResources('AWS::IAM::Role'))) {
      expect(role.Properties.ManagedPolicyArns).toBeUndefined();
    }
    for (const policy of Object.values(template.findResources('AWS::IAM::Policy'))) {
      expect(policy.Properties.Roles).toHaveLength(1);
    }
  });

  it.each(byName)('of %s allows no action by wildcard', (_name, { statements }) => {
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement.effect).toBe('Allow');
      expect(statement.actions.filter((action) => action.includes('*'))).toEqual([]);
    }
  });

  it.each(byName)(
    'of %s names its resources, but for traces and the objects of a bucket',
    (_name, { statements }) => {
      for (const { actions, resources } of statements.filter((statement) =>
        String(statement.resources).includes('*'),
      )) {
        if (resources.includes('*'))
          expect(actions).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
        else
          expect([...actions, ...resources].join()).toMatch(
            /^(s3:(Get|Put)Object,)+(Buckets\w+Bucket\.Arn\/((messages|requests|webhooks)\/)?\*,?)+$/,
          );
      }
    },
  );

  it.each(byName)(
    'of %s uses the key only through the services that keep data under it',
    (_name, { statements }) => {
      const onKey = statements.filter((statement) =>
        statement.resources.some((it) => it.startsWith('DataKey')),
      );
      for (const { condition } of onKey) {
        const services = (condition as { StringEquals: Record<string, unknown> }).StringEquals[
          'kms:ViaService'
        ];
        expect([services].flat().map(readable).join()).toMatch(
          /^((dynamodb|s3|secretsmanager)\.AWS::Region\.amazonaws\.com,?)+$/,
        );
      }
    },
  );

  it.each(byName)(
    'of %s goes with its environment: what it may use it knows, and the other way round',
    (_name, fn) => {
      const known = Object.entries(fn.environment)
        .filter(([name]) => /_(TABLE_NAME|QUEUE_URLS?|BUCKET_NAME|BUS_NAME|SECRET_ARN)$/.test(name))
        .flatMap(([, resources]) => resources.split(','));
      const used = fn.statements
        .filter((statement) => !statement.actions.every((action) => /^(logs|xray|kms):/.test(action)))
        .filter((statement) => !isReadingOwnQueueOnly(statement.actions))
        .flatMap((statement) => statement.resources.map((resource) => resource.split('.')[0]));

      expect([...new Set(used)].sort()).toEqual(known.sort());
    },
  );

  it('let the public webhook reach nothing but the secret, the archive and the summaries queue', () => {
    const reachable = functionNamed('WebhookReceiver').statements.flatMap((statement) =>
      statement.resources.map((resource) => `${statement.actions.join()} on ${resource}`),
    );

    expect(reachable.sort()).toEqual([
      'kms:Decrypt on DataKey.Arn',
      'logs:CreateLogStream,logs:PutLogEvents on WebhookReceiverLogs.Arn',
      's3:PutObject on BucketsArchiveBucket.Arn/webhooks/*',
      'secretsmanager:GetSecretValue on MarketplacePartnerSecret',
      'sqs:SendMessage on QueuesSummariesQueue.Arn',
      'xray:PutTelemetryRecords,xray:PutTraceSegments on *',
    ]);
  });

  it('let only those read store tokens who send for a store or ask whether it is there', () => {
    const readers = functions.filter((fn) =>
      fn.statements.some((statement) => statement.resources.includes('TablesStoresTable.Arn')),
    );
    expect(readers.map((fn) => fn.name).sort()).toEqual([
      'BatchSweeper',
      'CatalogImporter',
      'ChangeIntake',
      'DocumentFetcher',
      'ListingProducer',
      'OnboardingCallback',
      'OperationsApi',
      'OrderProducer',
      'ProductProducer',
    ]);
  });

  it('delete nothing but listings by a name that their store has given up', () => {
    const actions = functions.flatMap((fn) => fn.statements.flatMap((statement) => statement.actions));
    const deletions = actions.filter((action) => /:Delete/.test(action) && action !== 'sqs:DeleteMessage');
    // Of the listing-producer and the operations-api, as grants.txt says.
    expect(deletions).toEqual(['dynamodb:DeleteItem', 'dynamodb:DeleteItem']);
  });
});

function isReadingOwnQueueOnly(actions: string[]): boolean {
  return actions.every((action) => /^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes)$/.test(action));
}
