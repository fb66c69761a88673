import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';
import { readable } from './support/template.ts';

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:operators';
const alarmsOf = (template: Template) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((alarm) => alarm.Properties);

const template = Template.fromStack(createConnectorStack());
const alarms = alarmsOf(template);

function watched(metricName: string): string[] {
  return alarms
    .filter((alarm) => alarm.MetricName === metricName)
    .map((alarm) => readable(alarm.Dimensions[0].Value))
    .sort();
}

describe('alarms', () => {
  const queueIds = Object.keys(template.findResources('AWS::SQS::Queue'));
  const names = (part: string) =>
    queueIds.filter((id) => id.includes(part)).map((id) => `${id.replace(/[0-9A-F]{8}$/, '')}.QueueName`);

  it('watch every dead-letter queue, from the first message on', () => {
    expect(watched('ApproximateNumberOfMessagesVisible')).toEqual(names('DeadLetters').sort());
    for (const alarm of alarms.filter((it) => it.MetricName === 'ApproximateNumberOfMessagesVisible')) {
      expect(alarm).toMatchObject({
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 1,
      });
    }
  });

  it('watch the age of the oldest message in every queue', () => {
    const sources = queueIds.filter((id) => !id.includes('DeadLetters'));
    expect(watched('ApproximateAgeOfOldestMessage')).toHaveLength(sources.length);
  });

  it('watch the errors of every function', () => {
    expect(watched('Errors')).toHaveLength(
      Object.keys(template.findResources('AWS::Lambda::Function')).length,
    );
  });

  it('watch whether the marketplace refuses the credentials', () => {
    expect(watched('LanesStopped')).toEqual(['lane-waker']);
  });

  it('watch for orders of unknown outcome', () => {
    expect(watched('OrdersUnknown')).toEqual(['order-producer']);
  });

  it('watch for how long the oldest change of all lanes waits, in milliseconds', () => {
    expect(watched('OldestChangeAge')).toEqual(['lane-waker']);
    expect(alarms.find((alarm) => alarm.MetricName === 'OldestChangeAge')).toMatchObject({
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
