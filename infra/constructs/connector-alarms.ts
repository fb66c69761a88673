import { Duration } from 'aws-cdk-lib';
import { type Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';

const runbook = "See 'Operations' in the README of the Marketplace Connector.";

export interface ConnectorAlarmsProps {
  readonly queues: readonly ConnectorQueue[];
  readonly functions: readonly ConnectorFunction[];
  /** Topic to notify. Default: none, the alarms only change their state. */
  readonly alarmTopic?: ITopic;
  /** Age of a queue's oldest message at which to worry. Default: 15 minutes. */
  readonly oldestMessageAge?: Duration;
  /** Age of the oldest change of stock or price that waits at which to worry. Default: 15 minutes. */
  readonly oldestChangeAge?: Duration;
}

/**
 * Alarms on what needs a person: dead letters, messages and changes that wait for too long, functions that fail,
 * refused credentials, orders of unknown outcome.
 */
export class ConnectorAlarms extends Construct {
  private readonly alarmTopic: ITopic | undefined;

  constructor(scope: Construct, id: string, props: ConnectorAlarmsProps) {
    super(scope, id);
    this.alarmTopic = props.alarmTopic;
    const oldestMessageAge = props.oldestMessageAge ?? Duration.minutes(15);
    for (const queue of props.queues) this.watchQueue(queue, oldestMessageAge);
    for (const fn of props.functions) this.watchFunction(fn);
    this.watchCredentials();
    this.watchUnknownOrders();
    this.watchChanges(props.oldestChangeAge ?? Duration.minutes(15));
  }

  private watchQueue(queue: ConnectorQueue, oldestMessageAge: Duration): void {
    this.addAlarm(`${queue.node.id}DeadLetters`, {
      metric: queue.deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: 0,
      evaluationPeriods: 1,
      meaning: `Messages of the queue ${queue.node.id} could not be processed.`,
    });
    this.addAlarm(`${queue.node.id}Age`, {
      metric: queue.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: oldestMessageAge.toSeconds(),
      evaluationPeriods: 5,
      meaning: `Messages of the queue ${queue.node.id} wait for too long.`,
    });
  }

  private watchFunction(fn: ConnectorFunction): void {
    this.addAlarm(`${fn.node.id}Errors`, {
      metric: fn.lambda.metricErrors({ period: Duration.minutes(5) }),
      threshold: 0,
      evaluationPeriods: 2,
      meaning: `Invocations of ${fn.node.id} fail.`,
    });
  }

  private watchCredentials(): void {
    this.addAlarm('PartnerRefused', {
      // What the waker sees every minute, and not what the one tells who stopped the lanes: he may die over it.
      metric: ownMetric('LanesStopped', 'lane-waker'),
      threshold: 0,
      evaluationPeriods: 1,
      meaning:
        "The marketplace refuses the partner's credentials: all lanes are stopped until they are right.",
    });
  }

  private watchUnknownOrders(): void {
    this.addAlarm('OrdersUnknown', {
      metric: ownMetric('OrdersUnknown', 'order-producer'),
      threshold: 0,
      evaluationPeriods: 1,
      meaning:
        'Nobody can tell whether the marketplace took some decisions or dropoffs: they wait for a person.',
    });
  }

  /** Whatever keeps a lane from sending, the marketplace's refusals of an unknown kind included, shows in this alone. */
  private watchChanges(oldestChangeAge: Duration): void {
    this.addAlarm('OldestChangeAge', {
      metric: ownMetric('OldestChangeAge', 'lane-waker', 'Maximum'),
      threshold: oldestChangeAge.toMilliseconds(),
      evaluationPeriods: 1,
      meaning: 'Changes of stock or prices wait for too long to be sent.',
    });
  }

  private addAlarm(
    id: string,
    alarm: { metric: Metric; threshold: number; evaluationPeriods: number; meaning: string },
  ): void {
    const created: Alarm = alarm.metric.createAlarm(this, id, {
      threshold: alarm.threshold,
      evaluationPeriods: alarm.evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${alarm.meaning} ${runbook}`,
    });
    if (this.alarmTopic) created.addAlarmAction(new SnsAction(this.alarmTopic));
  }
}

/** What the function of this service name measures itself. */
function ownMetric(metricName: string, service: string, statistic = 'Sum'): Metric {
  return new Metric({
    namespace: 'MarketplaceConnector',
    metricName,
    dimensionsMap: { service },
    period: Duration.minutes(5),
    statistic,
  });
}
