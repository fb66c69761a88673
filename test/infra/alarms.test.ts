import { readFile } from 'node:fs/promises';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';
import { readable } from './support/template.ts';

interface MetricView {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:operators';
const alarmsOf = (template: Template) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((alarm) => alarm.Properties);

const template = Template.fromStack(createConnectorStack());
const alarms = alarmsOf(template);

const of = (metricName: string) => alarms.filter((alarm) => alarm.MetricName === metricName);
const watched = (metricName: string) =>
  of(metricName)
    .map((alarm) => readable(alarm.Dimensions[0].Value))
    .sort();
const metricsOf = (alarm: (typeof alarms)[number] | undefined): MetricView[] =>
  (alarm?.Metrics ?? []).flatMap(({ MetricStat }: { MetricStat?: { Metric: MetricView } }) =>
    MetricStat ? [MetricStat.Metric] : [],
  );
/** The alarm on a sum of metrics that includes this one. */
const summed = (metricName: string) =>
  alarms.find((alarm) => metricsOf(alarm).some(({ MetricName }) => MetricName === metricName));
const byIndexName = ({ IndexName }: { IndexName: string }) => IndexName;
const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

describe('alarms', () => {
  const queueIds = Object.keys(template.findResources('AWS::SQS::Queue'));
  const isOfDeadLetters = (id: string) => id.includes('DeadLetters');
  const names = (ids: readonly string[]) => ids.map((id) => `${withoutHash(id)}.QueueName`).sort();

  it('watch every dead-letter queue and are raised by the first message', () => {
    expect(watched('ApproximateNumberOfMessagesVisible')).toEqual(names(queueIds.filter(isOfDeadLetters)));
    for (const alarm of of('ApproximateNumberOfMessagesVisible')) {
      expect(alarm).toMatchObject({
        Dimensions: [{ Name: 'QueueName' }],
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 1,
      });
    }
  });

  it('watch the age of the oldest message in every queue that is not for dead letters', () => {
    const sources = queueIds.filter((id) => !isOfDeadLetters(id));
    expect(watched('ApproximateAgeOfOldestMessage')).toEqual(names(sources));
    for (const alarm of of('ApproximateAgeOfOldestMessage')) {
      expect(alarm).toMatchObject({
        Dimensions: [{ Name: 'QueueName' }],
        ComparisonOperator: 'GreaterThanThreshold',
        Statistic: 'Maximum',
      });
    }
  });

  it('worry after 15 minutes, but after 20 where one part of a catalog file may take 5 minutes', () => {
    const thresholds = of('ApproximateAgeOfOldestMessage').map((alarm) => [
      readable(alarm.Dimensions[0].Value),
      alarm.Threshold,
    ]);
    expect(thresholds.filter(([, seconds]) => seconds !== 15 * 60)).toEqual([
      ['QueuesCatalogImportQueue.QueueName', 20 * 60],
    ]);
    expect(thresholds.length).toBeGreaterThan(1);
  });

  it('watch every function for errors', () => {
    const functionIds = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(watched('Errors')).toEqual(functionIds.map(withoutHash).sort());
    for (const alarm of of('Errors')) {
      expect(alarm).toMatchObject({
        Dimensions: [{ Name: 'FunctionName' }],
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        Statistic: 'Sum',
        Period: 300,
      });
    }
  });

  it('are raised by one error of a function, but only by two failed rounds of a schedule', () => {
    const patient = of('Errors').filter((alarm) => alarm.EvaluationPeriods !== 1);

    expect(patient.map((alarm) => [readable(alarm.Dimensions[0].Value), alarm.EvaluationPeriods])).toEqual([
      ['LaneWakerFunction', 2],
      ['BatchSweeperFunction', 2],
      ['ListingVerifierFunction', 2],
    ]);
  });

  it('watch every function for throttling', () => {
    const functionIds = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(watched('Throttles')).toEqual(functionIds.map(withoutHash).sort());
    for (const alarm of of('Throttles')) expect(alarm).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
  });

  it('watch the HTTP API for more than 5 failures in a period', () => {
    expect(of('5xx')).toMatchObject([
      {
        Namespace: 'AWS/ApiGateway',
        Dimensions: [{ Name: 'ApiId', Value: { Ref: expect.stringMatching(/^HttpApi/) } }],
        Statistic: 'Sum',
        Threshold: 5,
        EvaluationPeriods: 1,
      },
    ]);
  });

  it('watch for the first webhook that is signed and refused, or fails, and for no unsigned one', () => {
    expect(summed('WebhooksRefused')).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
    expect(metricsOf(summed('WebhooksRefused'))).toEqual([
      {
        Namespace: 'MarketplaceConnector',
        MetricName: 'WebhooksRefused',
        Dimensions: [{ Name: 'service', Value: 'webhook-receiver' }],
      },
      {
        Namespace: 'AWS/ApiGateway',
        MetricName: '5xx',
        Dimensions: [
          { Name: 'ApiId', Value: { Ref: expect.stringMatching(/^HttpApi/) } },
          { Name: 'Method', Value: 'POST' },
          { Name: 'Resource', Value: '/webhooks/marketplace' },
          { Name: 'Stage', Value: '$default' },
        ],
      },
    ]);
    const names = alarms.flatMap((alarm) => [
      alarm.MetricName,
      ...metricsOf(alarm).map((it) => it.MetricName),
    ]);
    expect(names).not.toContain('4xx');
    expect(names).not.toContain('WebhooksUnsigned');
  });

  it('watch every function for an invocation that takes 95 % of its time limit', () => {
    const limits = Object.entries(template.findResources('AWS::Lambda::Function')).map(([id, fn]) => [
      withoutHash(id),
      0.95 * 1000 * fn.Properties.Timeout,
    ]);
    const durations = of('Duration').map((alarm) => [readable(alarm.Dimensions[0].Value), alarm.Threshold]);

    expect(durations.sort()).toEqual(limits.sort());
    for (const alarm of of('Duration'))
      expect(alarm).toMatchObject({ Namespace: 'AWS/Lambda', Statistic: 'Maximum' });
  });

  it('watch every table and every global index of it for throttling that lasts', () => {
    const expected = Object.entries(template.findResources('AWS::DynamoDB::Table')).flatMap(([id, table]) =>
      [undefined, ...(table.Properties.GlobalSecondaryIndexes ?? []).map(byIndexName)].flatMap((index) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metric) =>
          [withoutHash(id), index, metric].join(),
        ),
      ),
    );
    const throttles = alarms.filter((alarm) =>
      metricsOf(alarm).some(({ MetricName }) => MetricName === 'WriteThrottleEvents'),
    );
    const seen = throttles.flatMap(metricsOf).map(({ MetricName, Dimensions }) => {
      const dimension = (name: string) => Dimensions.find(({ Name }) => Name === name)?.Value;
      return [readable(dimension('TableName')), dimension('GlobalSecondaryIndexName'), MetricName].join();
    });

    expect(seen.sort()).toEqual(expected.sort());
    for (const alarm of throttles) expect(alarm).toMatchObject({ Threshold: 0, EvaluationPeriods: 3 });
  });

  it('watch every rule for events that were not delivered, by bus and name', () => {
    const rules = Object.entries(template.findResources('AWS::Events::Rule')).map(([id, rule]) => {
      const bus = rule.Properties.EventBusName;
      const arn = { 'Fn::GetAtt': [id, 'Arn'] };
      return [
        ...(bus ? [{ Name: 'EventBusName', Value: bus }] : []),
        { Name: 'RuleName', Value: { 'Fn::Select': [bus ? 2 : 1, { 'Fn::Split': ['/', arn] }] } },
      ];
    });

    expect(metricsOf(summed('FailedInvocations')).map(({ Dimensions }) => Dimensions)).toEqual(
      expect.arrayContaining(rules),
    );
    expect(metricsOf(summed('FailedInvocations'))).toHaveLength(rules.length);
    expect(summed('FailedInvocations')).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
  });

  it.each(['BatchesUnresolved', 'RequestsAbandoned'])('watch for %s, from the first on', (metricName) => {
    expect(of(metricName)).toMatchObject([
      {
        Dimensions: [{ Name: 'service', Value: 'batch-sweeper' }],
        Statistic: 'Sum',
        Threshold: 0,
        EvaluationPeriods: 1,
      },
    ]);
  });

  it('watch for a limit of requests that is used up for an hour', () => {
    expect(of('LimitUtilization')).toMatchObject([
      {
        Dimensions: [{ Name: 'service', Value: 'lane-waker' }],
        Statistic: 'Average',
        Threshold: 90,
        Period: 300,
        EvaluationPeriods: 12,
      },
    ]);
  });

  it('add up at most 10 metrics each, as CloudWatch allows', () => {
    for (const alarm of alarms) expect(metricsOf(alarm).length).toBeLessThanOrEqual(10);
  });

  it('read as many metrics as docs/cost.md counts', async () => {
    const metrics = alarms.reduce((sum, alarm) => sum + Math.max(1, metricsOf(alarm).length), 0);
    const usd = (0.1 * metrics).toFixed(2);
    const row = `| ${alarms.length} alarms, which read ${metrics} metrics, at 0.10 each | ${usd} |`;
    expect(await readFile('docs/cost.md', 'utf8')).toContain(row);
  });

  it('watch for lanes that are stopped because the marketplace refuses the credentials', () => {
    expect(watched('LanesStopped')).toEqual(['lane-waker']);
  });

  it('watch for orders with an unknown outcome, from events and from routes', () => {
    expect(summed('OrdersUnknown')).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
    expect(metricsOf(summed('OrdersUnknown')).map(({ Dimensions }) => Dimensions)).toEqual([
      [{ Name: 'service', Value: 'order-producer' }],
      [{ Name: 'service', Value: 'operations-api' }],
    ]);
  });

  it('watch the age of the oldest change of all lanes, in milliseconds', () => {
    expect(watched('OldestChangeAge')).toEqual(['lane-waker']);
    expect(of('OldestChangeAge')[0]).toMatchObject({
      Dimensions: [{ Name: 'service', Value: 'lane-waker' }],
      Statistic: 'Maximum',
      Threshold: 15 * 60_000,
      ComparisonOperator: 'GreaterThanThreshold',
      EvaluationPeriods: 1,
    });
  });

  it('watch the time since the last verification of each store, for an hour more than two verifications', () => {
    expect(of('OldestCycleAge')).toMatchObject([{ Statistic: 'Maximum', Threshold: 25 * 3_600_000 }]);
  });

  it('watch the age of the oldest deferred command, for each function that runs commands', () => {
    expect(watched('CommandAge')).toEqual(['document-fetcher', 'order-producer', 'product-producer']);
    for (const alarm of of('CommandAge')) {
      // A command is redelivered after at most 10 minutes.
      expect(alarm).toMatchObject({ Statistic: 'Maximum', Threshold: 3_600_000, Period: 900 });
    }
  });

  it('treat missing data as good, except the age that the lane-waker reports every minute', () => {
    const strict = alarms.filter((alarm) => alarm.TreatMissingData !== 'notBreaching');
    expect(strict).toMatchObject([{ MetricName: 'OldestChangeAge', TreatMissingData: 'breaching' }]);
  });

  it.each([
    ['MarketplaceConnector', template],
    ['Staging', Template.fromStack(createConnectorStack({ stackName: 'Staging' }))],
  ])('read the metrics of the functions of their own stack: %s', (stackName, stage) => {
    const namespaces = Object.values(stage.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.Environment.Variables.POWERTOOLS_METRICS_NAMESPACE,
    );
    const read = alarmsOf(stage)
      .flatMap((alarm) => [alarm, ...metricsOf(alarm)])
      .flatMap(({ Namespace = [] }) => Namespace)
      .filter((namespace) => !namespace.startsWith('AWS/'));

    expect(new Set(namespaces)).toEqual(new Set([stackName]));
    expect(new Set(read)).toEqual(new Set([stackName]));
  });

  it('notify no topic by default', () => {
    for (const alarm of alarms) {
      expect(alarm.AlarmActions).toBeUndefined();
      expect(alarm.OKActions).toBeUndefined();
    }
  });

  it('notify the topic of the settings, of their end as well', () => {
    const notifying = alarmsOf(Template.fromStack(createConnectorStack({ alarmTopicArn: topicArn })));

    expect(notifying).toHaveLength(alarms.length);
    for (const alarm of notifying) {
      expect(alarm.AlarmActions).toEqual([topicArn]);
      expect(alarm.OKActions).toEqual([topicArn]);
    }
  });

  it('notify an e-mail address by a topic that takes messages of this account and by TLS only', () => {
    const stack = Template.fromStack(createConnectorStack({ alarmEmail: 'operators@partner.example' }));
    const [topicId] = Object.keys(stack.findResources('AWS::SNS::Topic'));
    stack.hasResourceProperties('AWS::SNS::Subscription', {
      TopicArn: { Ref: topicId },
      Protocol: 'email',
      Endpoint: 'operators@partner.example',
    });
    const actions = alarmsOf(stack).map(({ AlarmActions, OKActions }) => [AlarmActions, OKActions]);
    expect(actions.length).toBeGreaterThan(20);
    for (const [onAlarm, onOk] of actions) {
      expect(onAlarm).toEqual([{ Ref: topicId }]);
      expect(onOk).toEqual([{ Ref: topicId }]);
    }
    stack.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          {
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Resource: { Ref: topicId },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
      },
    });
  });
});
