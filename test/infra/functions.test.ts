import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../infra/settings.ts';
import { DOCUMENT_LOCK_MS } from '../../shared/documents/document-domain.ts';
import { lockedUntil } from '../../shared/orders/rules/order-action.ts';
import { SEND_WITHIN_MS } from '../../shared/requests/use-cases/run-request.ts';
import { environmentNames } from '../../shared/settings/environment.ts';
import { HELD_FOR_MS } from '../../shared/store-names/change-names.ts';
import { CLOCK_MARGIN_MS } from '../../shared/time/waits.ts';
import { connectorTemplate } from './support/stacks.ts';
import { functionsOf, readable } from './support/template.ts';

const template = connectorTemplate();
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
      'ListingVerifier',
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

  it('are not traced, and may write no traces, if the setting is off', () => {
    const untraced = functionsOf(connectorTemplate({ tracing: 'off' }));

    for (const { properties, statements } of untraced) {
      expect(properties.TracingConfig).toBeUndefined();
      expect(statements.flatMap(({ actions }) => actions).join()).not.toContain('xray');
    }
  });

  it.each(byName)('%s logs to its own group with a retention of one month', (_name, { properties }) => {
    const group = template.findResources('AWS::Logs::LogGroup')[properties.LoggingConfig.LogGroup.Ref];
    expect(group?.Properties.RetentionInDays).toBe(30);
  });

  it('may feed their own queue only where that is intended', () => {
    const allowed = functions.filter((fn) => fn.properties.RecursiveLoop === 'Allow').map((fn) => fn.name);
    expect(allowed.sort()).toEqual([
      'CatalogImporter',
      'DocumentFetcher',
      'ListingProducer',
      'OrderProducer',
      'ProductProducer',
    ]);
  });

  it.each(['WebhookReceiver', 'OperationsApi'])(
    '%s ends before the integration timeout of the HTTP API',
    (name) => {
      expect(functionNamed(name).properties.Timeout).toBeLessThanOrEqual(29);
    },
  );

  it('OperationsApi ends while it holds the lane of a store whose names it changes, by any clock', () => {
    expect(functionNamed('OperationsApi').properties.Timeout * 1000).toBeLessThanOrEqual(
      HELD_FOR_MS - CLOCK_MARGIN_MS,
    );
  });
});

describe('functions with the longest times that the settings allow', () => {
  const { requestTimeoutSeconds } = settingsSchema.parse({
    requestTimeoutSeconds: 22,
    attemptLifetimeSeconds: 60,
  });
  const requestMs = requestTimeoutSeconds * 1000;
  /** The longest wait of a request for a permit. */
  const permitWaitMs = 10_000;
  const timeoutMs = (name: string) => functionNamed(name).properties.Timeout * 1000;

  it('give the listing-producer more than half of its time to begin requests', () => {
    const settlingMs = 10_000;
    expect(timeoutMs('ListingProducer') - settlingMs - requestMs).toBeGreaterThan(
      timeoutMs('ListingProducer') / 2,
    );
  });

  it.each(['OrderProducer', 'ProductProducer'])(
    '%s has time for a request with its retries after the half in which it begins requests',
    (name) => {
      expect(timeoutMs(name) / 2).toBeGreaterThan(SEND_WITHIN_MS + permitWaitMs + requestMs);
    },
  );

  it('give the document-fetcher time for a request with its retries', () => {
    expect(timeoutMs('DocumentFetcher')).toBeGreaterThan(SEND_WITHIN_MS + permitWaitMs + requestMs);
  });

  it('lock an order for longer than its request waits for a permit', () => {
    expect(lockedUntil({ now: 0, attemptLifetimeMs: 0 })).toBeGreaterThan(permitWaitMs);
  });

  it.each(['DocumentFetcher', 'OperationsApi'])(
    '%s has ended before its lock of a document expires',
    (name) => {
      expect(timeoutMs(name)).toBeLessThan(DOCUMENT_LOCK_MS);
    },
  );

  it('refuse settings with longer times', () => {
    const longer = { requestTimeoutSeconds: requestTimeoutSeconds + 1, attemptLifetimeSeconds: 61 };
    expect(settingsSchema.safeParse(longer).error?.issues.map(({ path }) => path)).toEqual([
      ['requestTimeoutSeconds'],
      ['attemptLifetimeSeconds'],
    ]);
  });
});

describe('the environment of functions', () => {
  const runtimeVariables = ['NODE_OPTIONS', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_SERVICE_NAME'];

  it.each(byName)('has only names that the functions read: %s', (_name, { environment }) => {
    const known = [...Object.values<string>(environmentNames), ...runtimeVariables];
    expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
  });

  it.each(byName)('holds no secret, at most the name of one: %s', (_name, { environment }) => {
    const values = JSON.stringify(environment);
    expect(values).not.toContain('REPLACE_ME');
    expect(values).not.toContain('resolve:secretsmanager');
  });

  it('has the marketplace address and the partner from the stack parameters', () => {
    expect(functionNamed('ListingProducer').environment).toMatchObject({
      MARKETPLACE_BASE_URL: 'MarketplaceBaseUrl',
      PARTNER_CLIENT_ID: 'PartnerClientId',
      PARTNER_SECRET_ARN: 'MarketplacePartnerSecret',
    });
  });

  it('has the values of the settings', () => {
    const settings = {
      requestsPerSecond: 2,
      requestsInFlight: 3,
      requestTimeoutSeconds: 10,
      attemptLifetimeSeconds: 20,
      credentialsRetrySeconds: 40,
      itemsPerRequest: 7,
      pageSize: 9,
    };
    const slow = functionsOf(connectorTemplate(settings));
    const environmentOf = (name: string) => slow.find((fn) => fn.name === name)?.environment;

    expect(environmentOf('ListingProducer')).toMatchObject({
      REQUESTS_PER_SECOND: '2',
      REQUESTS_IN_FLIGHT: '3',
      REQUEST_TIMEOUT_SECONDS: '10',
      ATTEMPT_LIFETIME_SECONDS: '20',
      CREDENTIALS_RETRY_SECONDS: '40',
      ITEMS_PER_REQUEST: '7',
    });
    expect(environmentOf('OperationsApi')).toMatchObject({ REQUESTS_PER_SECOND: '2', PAGE_SIZE: '9' });
  });
});

describe('roles of functions', () => {
  it('have only their own inline policies', () => {
    for (const role of Object.values(template.findResources('AWS::IAM::Role'))) {
      expect(role.Properties.ManagedPolicyArns).toBeUndefined();
    }
    for (const policy of Object.values(template.findResources('AWS::IAM::Policy'))) {
      expect(policy.Properties.Roles).toHaveLength(1);
    }
  });

  it.each(byName)('allow no action by wildcard: %s', (_name, { statements }) => {
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement.effect).toBe('Allow');
      expect(statement.actions.filter((action) => action.includes('*'))).toEqual([]);
    }
  });

  it.each(byName)(
    'name their resources, except for traces and objects of a bucket: %s',
    (_name, { statements }) => {
      for (const { actions, resources } of statements.filter((statement) =>
        String(statement.resources).includes('*'),
      )) {
        if (resources.includes('*'))
          expect(actions).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
        else
          expect([...actions, ...resources].join()).toMatch(
            /^(s3:(Delete|Get|Put)Object,)+(Buckets\w+Bucket\.Arn\/((messages|reports|requests|webhooks)\/)?\*,?)+$/,
          );
      }
    },
  );

  it.each(byName)(
    'use the key only through the services that store data under it: %s',
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

  it.each(byName)('allow exactly the resources in the environment of the function: %s', (_name, fn) => {
    const known = Object.entries(fn.environment)
      .filter(([name]) => /_(TABLE_NAME|QUEUE_URL|BUCKET_NAME|BUS_NAME|SECRET_ARN)$/.test(name))
      .map(([, resource]) => resource);
    const used = fn.statements
      .filter((statement) => !statement.actions.every((action) => /^(logs|xray|kms):/.test(action)))
      .filter((statement) => !isOfDeadLetters(statement.resources))
      .flatMap((statement) => statement.resources.map((resource) => resource.split('.')[0]));

    expect([...new Set(used)].sort()).toEqual([...new Set(known)].sort());
  });

  it('let the public webhook reach only the secret, the archive and the summaries queue', () => {
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

  it('let only functions that call for a store or look it up read store tokens', () => {
    const readers = functions.filter((fn) =>
      fn.statements.some((statement) => statement.resources.includes('TablesStoresTable.Arn')),
    );
    expect(readers.map((fn) => fn.name).sort()).toEqual([
      'BatchSweeper',
      'CatalogImporter',
      'ChangeIntake',
      'DocumentFetcher',
      'ListingProducer',
      'ListingVerifier',
      'OnboardingCallback',
      'OperationsApi',
      'OrderProducer',
      'ProductProducer',
    ]);
  });

  it('allow deleting only listings whose names their store no longer uses, pages of what waits, drift that is over, and orders with their documents', () => {
    const deletions = functions.flatMap(({ statements }) =>
      statements
        .filter(({ actions }) =>
          actions.some((action) => /:Delete/.test(action) && action !== 'sqs:DeleteMessage'),
        )
        .flatMap(({ resources }) =>
          resources.map((resource) => /^(?:Tables|Buckets)(\w+?)(?:Table|Bucket)/.exec(resource)?.[1]),
        ),
    );
    expect([...new Set(deletions)].sort()).toEqual(['Documents', 'Drift', 'Listings', 'Orders', 'Waiting']);
    // One each for the listing-producer and the operations-api: see grants.txt.
    expect(deletions.filter((table) => table === 'Listings')).toHaveLength(2);
  });
});

/** Their queues are named by the queues that they are of. */
function isOfDeadLetters(resources: string[]): boolean {
  return resources.every((resource) => /^Queues\w+DeadLetters\.Arn$/.test(resource));
}
