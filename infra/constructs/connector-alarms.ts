import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ConnectorApi } from './connector-api.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';

const runbook = "See 'Operations' in the README of the Marketplace Connector.";

/** Those who put commands off. */
const COMMAND_SERVICES = ['product-producer', 'order-producer', 'document-fetcher'] as const;
/** Age of a command that waits at which to worry: long ones take their time. */
const COMMANDS_WAIT = Duration.hours(1);

export interface ConnectorAlarmsProps {
  readonly queues: readonly ConnectorQueue[];
  readonly functions: readonly ConnectorFunction[];
  /** Default: none. */
  readonly api?: ConnectorApi;
  /** Topic to notify. Default: none, the alarms only change their state. */
  readonly alarmTopic?: ITopic;
  /** Age of a queue's oldest message at which to worry. Default: 15 minutes. */
  readonly oldestMessageAge?: Duration;
  /** Age of the oldest change of stock or price that waits at which to worry. Default: 15 minutes. */
  readonly oldestChangeAge?: Duration;
}

interface AlarmProps {
  readonly metric: Metric | MathExpression;
  readonly threshold: number;
  /** Periods in a row. Default: one. */
  readonly evaluationPeriods?: number;
  /** Default: not breaching. */
  readonly treatMissingData?: TreatMissingData;
  readonly meaning: string;
}

/**
 * Alarms on what needs a person: dead letters, messages and changes that wait for too long, functions that fail or are
 * throttled, requests of the HTTP API that fail, webhooks that are not taken, refused credentials, orders of unknown
 * outcome.
 */
export class ConnectorAlarms extends Construct {
  private readonly alarmTopic: ITopic | undefined;

  constructor(scope: Construct, id: string, props: ConnectorAlarmsProps) {
    super(scope, id);
    this.alarmTopic = props.alarmTopic;
    const oldestMessageAge = props.oldestMessageAge ?? Duration.minutes(15);
    for (const queue of props.queues) this.watchQueue(queue, oldestMessageAge);
    for (const fn of props.functions) this.watchFunction(fn);
    if (props.api) this.watchApi(props.api);
    this.watchCredentials();
    this.watchUnknownOrders();
    for (const service of COMMAND_SERVICES) this.watchCommands(service);
    this.watchChanges(props.oldestChangeAge ?? Duration.minutes(15));
  }

  private watchQueue(queue: ConnectorQueue, oldestMessageAge: Duration): void {
    this.addAlarm(`${queue.node.id}DeadLetters`, {
      metric: queue.deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: 0,
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
      // The next round of a schedule makes up for one that failed. A message that fails comes again later than that: no
      // two periods in a row would ever see it.
      evaluationPeriods: fn.isScheduled ? 2 : 1,
      meaning: `Invocations of ${fn.node.id} fail.`,
    });
    // One for each: an alarm on their sum may have 10 metrics at most.
    this.addAlarm(`${fn.node.id}Throttles`, {
      metric: fn.lambda.metricThrottles({ period: Duration.minutes(5) }),
      threshold: 0,
      meaning: `${fn.node.id} is throttled: the account's concurrency is used up.`,
    });
  }

  /** What a function behind the API answers is none of its errors, whatever the status. */
  private watchApi(api: ConnectorApi): void {
    this.addAlarm('ApiErrors', {
      metric: api.metricServerErrors(),
      // A few are the marketplace's own, passed on to the caller.
      threshold: 5,
      meaning: 'Requests of the HTTP API fail.',
    });
    this.addAlarm('WebhooksRefused', {
      metric: sumOf(api.metricRefusedWebhooks(), api.metricFailedWebhooks()),
      // Nobody knows whether the marketplace sends one again.
      threshold: 0,
      meaning: 'Final summaries that came by webhook were not taken.',
    });
  }

  private watchCredentials(): void {
    this.addAlarm('PartnerRefused', {
      // What the waker sees every minute, and not what the one tells who stopped the lanes: he may die over it. There is
      // nothing to see before the first request.
      metric: this.ownMetric('LanesStopped', 'lane-waker'),
      threshold: 0,
      meaning:
        "The marketplace refuses the partner's credentials: all lanes are stopped until they are right.",
    });
  }

  private watchUnknownOrders(): void {
    this.addAlarm('OrdersUnknown', {
      metric: sumOf(
        this.ownMetric('OrdersUnknown', 'order-producer'),
        this.ownMetric('OrdersUnknown', 'operations-api'),
      ),
      threshold: 0,
      meaning:
        'Nobody can tell whether the marketplace took some decisions or dropoffs: they wait for a person.',
    });
  }

  private watchCommands(service: (typeof COMMAND_SERVICES)[number]): void {
    this.addAlarm(`${service}-CommandAge`, {
      // Told whenever a command is put off, which is for 10 minutes at most.
      metric: this.ownMetric('CommandAge', service, 'Maximum').with({ period: Duration.minutes(15) }),
      threshold: COMMANDS_WAIT.toMilliseconds(),
      meaning: `Commands of the ${service} have been put off again and again for more than ${COMMANDS_WAIT.toMinutes()} minutes.`,
    });
  }

  /** Whatever keeps a lane from sending, the marketplace's refusals of an unknown kind included, shows in this alone. */
  private watchChanges(oldestChangeAge: Duration): void {
    this.addAlarm('OldestChangeAge', {
      metric: this.ownMetric('OldestChangeAge', 'lane-waker', 'Maximum'),
      threshold: oldestChangeAge.toMilliseconds(),
      // The waker tells it every minute, be it 0.
      treatMissingData: TreatMissingData.BREACHING,
      meaning: 'Changes of stock or prices wait for too long to be sent, or the lane-waker does not run.',
    });
  }

  private addAlarm(id: string, alarm: AlarmProps): void {
    const created: Alarm = alarm.metric.createAlarm(this, id, {
      threshold: alarm.threshold,
      evaluationPeriods: alarm.evaluationPeriods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: alarm.treatMissingData ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${alarm.meaning} ${runbook}`,
    });
    if (this.alarmTopic) created.addAlarmAction(new SnsAction(this.alarmTopic));
  }

  /** What the function of this service name measures itself. */
  private ownMetric(metricName: string, service: string, statistic = 'Sum'): Metric {
    return new Metric({
      namespace: Stack.of(this).stackName,
      metricName,
      dimensionsMap: { service },
      period: Duration.minutes(5),
      statistic,
    });
  }
}

/** The sum of two metrics, each of which may be missing. */
function sumOf(one: Metric, other: Metric): MathExpression {
  return new MathExpression({
    expression: 'FILL(one, 0) + FILL(other, 0)',
    usingMetrics: { one, other },
    period: Duration.minutes(5),
  });
}
