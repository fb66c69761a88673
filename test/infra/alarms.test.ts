import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';
import { readable } from './support/template.ts';

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
const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

describe('alarms', () => {
  const queueIds = Object.keys(template.findResources('AWS::SQS::Queue'));
  const isOfDeadLetters = (id: string) => id.includes('DeadLetters');
  const names = (ids: readonly string[]) => ids.map((id) => `${withoutHash(id)}.QueueName`).sort();

  it('watch every dead-letter queue, from the first message on', () => {
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

  it('watch the age of the oldest message in every queue but those', () => {
    const sources = queueIds.filter((id) => !isOfDeadLetters(id));
    expect(watched('ApproximateAgeOfOldestMessage')).toEqual(names(sources));
    for (const alarm of of('ApproximateAgeOfOldestMessage')) {
      expect(alarm).toMatchObject({
        Dimensions: [{ Name: 'QueueName' }],
        Threshold: 15 * 60,
        ComparisonOperator: 'GreaterThanThreshold',
        Statistic: 'Maximum',
      });
    }
  });

  it('watch every function, from the first error on', () => {
    const functionIds = Object.keys(template.findResources('AWS::Lambda::Function'));
    expect(watched('Errors')).toEqual(functionIds.map(withoutHash).sort());
    for (const alarm of of('Errors')) {
      expect(alarm).toMatchObject({
        Dimensions: [{ Name: 'FunctionName' }],
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        Statistic: 'Sum',
      });
    }
  });

  it('watch whether the marketplace refuses the credentials', () => {
    expect(watched('LanesStopped')).toEqual(['lane-waker']);
  });

  it('watch for orders of unknown outcome', () => {
    expect(watched('OrdersUnknown')).toEqual(['order-producer']);
  });

  it('watch for how long the oldest change of all lanes waits, in milliseconds', () => {
    expect(watched('OldestChangeAge')).toEqual(['lane-waker']);
    expect(of('OldestChangeAge')[0]).toMatchObject({
      Dimensions: [{ Name: 'service', Value: 'lane-waker' }],
      Statistic: 'Maximum',
      Threshold: 15 * 60_000,
      ComparisonOperator: 'GreaterThanThreshold',
    });
  });

  it('say where to read on', () => {
    for (const alarm of alarms) expect(alarm.AlarmDescription).toContain("See 'Operations' in the README");
  });

  it('notify nobody unless told whom', () => {
    for (const alarm of alarms) expect(alarm.AlarmActions).toBeUndefined();
  });

  it('notify the topic of the settings', () => {
    const notifying = alarmsOf(Template.fromStack(createConnectorStack({ alarmTopicArn: topicArn })));

    expect(notifying).toHaveLength(alarms.length);
    for (const alarm of notifying) expect(alarm.AlarmActions).toEqual([topicArn]);
  });
});
