import { readFile } from 'node:fs/promises';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { connectorTemplate, type createConnectorStack } from './support/stacks.ts';
import { readable } from './support/template.ts';

interface MetricView {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:operators';
const nextDayTopicArn = 'arn:aws:sns:eu-central-1:123456789012:tickets';
const alarmsOf = (template: Template) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((alarm) => alarm.Properties);
/** What each alarm does, composite ones included, by the alarm's name in the runbook. */
const actionsOf = (template: Template) =>
  ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm']
    .flatMap((type) => Object.entries(template.findResources(type)))
    .map(([id, { Properties }]) => ({
      name: withoutHash(id).replace(/^Alarms/, ''),
      onAlarm: (Properties.AlarmActions ?? []).map(readable),
      onOk: (Properties.OKActions ?? []).map(readable),
    }));
/** Those that wake a person. */
const URGENT = [
  'ChangesAge',
  'ChangesDeadLetters',
  'DoesNotSend',
  'EventsUndelivered',
  'OldestChangeAge',
  'OrderCommandsAge',
  'OrderCommandsDeadLetters',
];
/** Those that the one on all of sending reports. */
const PARTS_OF_SENDING = ['MarketplaceFailing', 'PartnerRefused', 'SendingStopped'];

const template = connectorTemplate();
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

  it('watch for orders with an unknown outcome', () => {
    expect(watched('OrdersUnknown')).toEqual(['order-producer']);
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

  it('treat missing data as good, except what the lane-waker reports every minute', () => {
    const strict = alarms.filter((alarm) => alarm.TreatMissingData !== 'notBreaching');
    expect(strict).toMatchObject([
      { MetricName: 'SendingStopped', TreatMissingData: 'breaching' },
      { MetricName: 'OldestChangeAge', TreatMissingData: 'breaching' },
    ]);
  });

  it('say by one alarm that the connector does not send, whichever of three causes it has', () => {
    const composites = Object.values(template.findResources('AWS::CloudWatch::CompositeAlarm'));
    expect(composites).toHaveLength(1);
    const { AlarmRule, AlarmName } = composites[0]?.Properties ?? {};
    expect(readable(AlarmRule)).toBe(
      '(ALARM("AlarmsPartnerRefused.Arn") OR ALARM("AlarmsMarketplaceFailing.Arn") OR ALARM("AlarmsSendingStopped.Arn"))',
    );
    // CDK's own name would be the same for two stacks of one account whose constructs have the same path.
    expect(AlarmName).toBeUndefined();
  });

  it('notice within 5 minutes that the connector does not send', () => {
    const periods = PARTS_OF_SENDING.map((part) =>
      alarms.find((alarm) => alarm.MetricName === (part === 'PartnerRefused' ? 'LanesStopped' : part)),
    ).map((alarm) => alarm?.Period * alarm?.EvaluationPeriods);
    expect(Math.max(...periods)).toBeLessThanOrEqual(300);
  });

  it.each([
    ['MarketplaceConnector', template],
    ['Staging', connectorTemplate({ stackName: 'Staging' })],
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
    for (const { onAlarm, onOk } of actionsOf(template)) expect([...onAlarm, ...onOk]).toEqual([]);
  });

  const notified = (settings: Parameters<typeof createConnectorStack>[0]) =>
    actionsOf(connectorTemplate(settings));
  const namesOf = (actions: ReturnType<typeof notified>, topic: string) =>
    actions.filter(({ onAlarm }) => onAlarm.includes(topic)).map(({ name }) => name);

  it('notify one topic if they are urgent, and the other if they can wait for the next day', () => {
    const actions = notified({ alarmTopicArn: topicArn, nextDayAlarmTopicArn: nextDayTopicArn });
    const others = actions.map(({ name }) => name).filter((name) => !URGENT.includes(name));

    expect(namesOf(actions, topicArn).sort()).toEqual(URGENT);
    expect(namesOf(actions, nextDayTopicArn)).toEqual(
      others.filter((name) => !PARTS_OF_SENDING.includes(name)),
    );
    for (const { onAlarm } of actions) expect(onAlarm.length).toBeLessThanOrEqual(1);
  });

  it('all notify the one topic if no other is set', () => {
    const actions = notified({ alarmTopicArn: topicArn });
    expect(namesOf(actions, topicArn)).toHaveLength(actions.length - PARTS_OF_SENDING.length);
  });

  it('say nothing of their end, unless a setting asks for it', () => {
    expect(notified({ alarmTopicArn: topicArn }).flatMap(({ onOk }) => onOk)).toEqual([]);
    const talkative = notified({ alarmTopicArn: topicArn, alarmOkMessages: true });
    for (const { onAlarm, onOk } of talkative) expect(onOk).toEqual(onAlarm);
  });

  it('notify an e-mail address by a topic for each severity, which takes messages of this account and by TLS only', () => {
    const stack = connectorTemplate({ alarmEmail: 'operators@partner.example' });
    const actions = actionsOf(stack);
    expect(namesOf(actions, 'AlarmTopic').sort()).toEqual(URGENT);
    expect(namesOf(actions, 'NextDayAlarmTopic').length).toBeGreaterThan(70);
    const topicIds = Object.keys(stack.findResources('AWS::SNS::Topic'));
    expect(topicIds.map(withoutHash)).toEqual(['AlarmTopic', 'NextDayAlarmTopic']);
    expect(stack.findOutputs('*')).toMatchObject({
      AlarmTopicArn: { Value: { Ref: topicIds[0] } },
      NextDayAlarmTopicArn: { Value: { Ref: topicIds[1] } },
    });
    for (const topicId of topicIds) {
      stack.hasResourceProperties('AWS::SNS::Subscription', {
        TopicArn: { Ref: topicId },
        Protocol: 'email',
        Endpoint: 'operators@partner.example',
      });
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
    }
  });

  it('are listed in the runbook by what they ask of a person', async () => {
    const runbook = await readFile('docs/runbook.md', 'utf8');
    const [, urgent = '', parts = ''] =
      /^Urgent are (.+?)\. .*?^Three alarms notify no one by themselves, (.+?):/ms.exec(runbook) ?? [];
    const linked = (text: string) => [...text.matchAll(/\[(\w+)\]/g)].map(([, name]) => name).sort();

    expect(linked(urgent)).toEqual(URGENT);
    expect(linked(parts)).toEqual(PARTS_OF_SENDING);
  });
});
