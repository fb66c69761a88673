import { Duration, Stack } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  type MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ConnectorApi } from './connector-api.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';
import type { ConnectorTable } from './connector-table.ts';
import { failedInvocations } from './failed-invocations.ts';
import { sumOf } from './sum-of.ts';

const RUNBOOK = 'docs/runbook.md';

/** The functions that defer commands: the `service` of their metrics by their construct ID. */
const COMMAND_SERVICES = {
  ProductProducer: 'product-producer',
  OrderProducer: 'order-producer',
  DocumentFetcher: 'document-fetcher',
} as const;
/** Age above which a deferred command raises an alarm. */
const COMMANDS_WAIT = Duration.hours(1);
/** Part of a function's time limit that raises an alarm. Functions that watch their deadline use less. */
const NEAR_TIME_LIMIT = 0.95;
/** Percent of the allowed requests above which the limiter counts as saturated. Some permits always stay unused. */
const SATURATED_PERCENT = 90;
/** Percent of the compared listings above which drift is more than the edits of others. */
const DRIFT_PERCENT = 5;

export interface ConnectorAlarmsProps {
  readonly queues: readonly ConnectorQueue[];
  readonly functions: readonly ConnectorFunction[];
  /** Default: none. */
  readonly tables?: readonly ConnectorTable[];
  /** Rules of buses and schedules; at most 10, the most metrics of one alarm. Default: none. */
  readonly rules?: readonly Rule[];
  /** Default: none. */
  readonly api?: ConnectorApi;
  /** Topic to notify. Default: none, the alarms only change their state. */
  readonly alarmTopic?: ITopic;
  /**
   * Age of a queue's oldest message above which its alarm is raised, but at least four times the time limit of the
   * function that reads the queue. Default: 15 minutes.
   */
  readonly oldestMessageAge?: Duration;
  /**
   * Time since the end of a store's last verification above which its alarm is raised: more than the time between two of them.
   * Default: 25 hours.
   */
  readonly oldestCycleAge?: Duration;
  /** Age of the oldest waiting change of stock or price above which its alarm is raised. Default: 15 minutes. */
  readonly oldestChangeAge?: Duration;
}

interface AlarmText {
  /** Construct ID of the watched queue, function or table. Default: none, the alarm watches the whole stack. */
  readonly of?: string;
  /** End of the alarm's name. */
  readonly kind: string;
  /** The first sentence of its description. */
  readonly meaning: string;
}

interface AlarmOptions {
  /** Value above which the alarm is raised. Default: 0. */
  readonly above?: number;
  /** Periods in a row above the value. Default: 1. */
  readonly evaluationPeriods?: number;
  /** Default: not breaching. */
  readonly treatMissingData?: TreatMissingData;
}

/**
 * Alarms on everything that needs a person: dead letters; messages and changes that wait too long; functions that fail,
 * are throttled or come near their time limit; throttled tables; undelivered events; failed requests of the HTTP API;
 * webhooks that are not taken; refused credentials; drift and late verifications; orders, batches and requests of unknown outcome; a saturated limiter.
 */
export class ConnectorAlarms extends Construct {
  private readonly alarmTopic: ITopic | undefined;

  constructor(scope: Construct, id: string, props: ConnectorAlarmsProps) {
    super(scope, id);
    this.alarmTopic = props.alarmTopic;
    const { oldestMessageAge = Duration.minutes(15), oldestChangeAge = Duration.minutes(15) } = props;
    for (const queue of props.queues) this.watchQueue(queue, oldestMessageAge);
    for (const fn of props.functions) this.watchFunction(fn);
    for (const table of props.tables ?? []) this.watchTable(table);
    if (props.rules) this.watchRules(props.rules);
    if (props.api) this.watchApi(props.api);
    for (const [id, service] of Object.entries(COMMAND_SERVICES)) this.watchCommands(id, service);
    this.addAlarm(
      {
        kind: 'PartnerRefused',
        meaning:
          "The partner's credentials are refused or not set: all lanes are stopped until they are right.",
      },
      // The lane-waker reports this every minute: the function that stopped the lanes may be killed before it reports.
      this.ownMetric('LanesStopped', 'lane-waker'),
    );
    this.watchOutcomes();
    this.watchLiveValues(props.oldestCycleAge ?? Duration.hours(25));
    this.addAlarm(
      {
        kind: 'LimitUtilization',
        meaning: `For an hour more than ${SATURATED_PERCENT} % of the allowed requests to the marketplace have been used.`,
      },
      this.ownMetric('LimitUtilization', 'lane-waker', 'Average'),
      { above: SATURATED_PERCENT, evaluationPeriods: 12 },
    );
    // The only alarm on a lane that sends nothing for an unforeseen reason, such as an unknown error of the marketplace.
    this.addAlarm(
      {
        kind: 'OldestChangeAge',
        meaning: 'Changes of stock or prices wait for too long to be sent, or the lane-waker does not run.',
      },
      this.ownMetric('OldestChangeAge', 'lane-waker', 'Maximum'),
      // The lane-waker reports this every minute, even when it is 0.
      { above: oldestChangeAge.toMilliseconds(), treatMissingData: TreatMissingData.BREACHING },
    );
  }

  private watchOutcomes(): void {
    this.addAlarm(
      {
        kind: 'OrdersUnknown',
        meaning:
          'It is unknown whether the marketplace took some decisions or dropoffs: an operator has to resolve or retry them.',
      },
      sumOf(
        this.ownMetric('OrdersUnknown', 'order-producer'),
        this.ownMetric('OrdersUnknown', 'operations-api'),
      ),
    );
    this.addAlarm(
      {
        kind: 'BatchesUnresolved',
        meaning: 'Batches ended unresolved: an operator has to say how their unknown rows ended.',
      },
      this.ownMetric('BatchesUnresolved', 'batch-sweeper'),
    );
    this.addAlarm(
      {
        kind: 'RequestsAbandoned',
        meaning:
          'Requests of commands were left by the function that sent them, and ended by the batch-sweeper.',
      },
      this.ownMetric('RequestsAbandoned', 'batch-sweeper'),
    );
  }

  private watchLiveValues(oldestCycleAge: Duration): void {
    this.addAlarm(
      {
        kind: 'DriftRate',
        meaning: `The marketplace shows other values than the accepted ones for more than ${DRIFT_PERCENT} % of the listings that were compared.`,
      },
      this.ownMetric('DriftRate', 'listing-verifier', 'Maximum'),
      { above: DRIFT_PERCENT },
    );
    this.addAlarm(
      {
        kind: 'OldestCycleAge',
        meaning: 'The products of some store have not been compared with its listings for too long.',
      },
      this.ownMetric('OldestCycleAge', 'listing-verifier', 'Maximum'),
      { above: oldestCycleAge.toMilliseconds() },
    );
  }

  private watchQueue(watched: ConnectorQueue, oldestMessageAge: Duration): void {
    const { node, queue, deadLetters, consumerTimeout } = watched;
    const options = { period: Duration.minutes(1), statistic: 'Maximum' };
    this.addAlarm(
      {
        of: node.id,
        kind: 'DeadLetters',
        meaning: `Messages of the queue ${node.id} could not be processed.`,
      },
      deadLetters.metricApproximateNumberOfMessagesVisible(options),
    );
    this.addAlarm(
      { of: node.id, kind: 'Age', meaning: `Messages of the queue ${node.id} wait for too long.` },
      queue.metricApproximateAgeOfOldestMessage(options),
      {
        above: Math.max(oldestMessageAge.toSeconds(), 4 * consumerTimeout.toSeconds()),
        evaluationPeriods: 5,
      },
    );
  }

  private watchFunction({ node, lambda, isScheduled, timeout }: ConnectorFunction): void {
    this.addAlarm(
      { of: node.id, kind: 'Errors', meaning: `Invocations of ${node.id} fail.` },
      lambda.metricErrors({ period: Duration.minutes(5) }),
      // The next run of a schedule makes up for a failed one. A failed message is redelivered after more than one period, so
      // its errors never fall into two periods in a row.
      { evaluationPeriods: isScheduled ? 2 : 1 },
    );
    // One alarm per function: an alarm on their sum would need more than the 10 metrics that CloudWatch allows.
    this.addAlarm(
      {
        of: node.id,
        kind: 'Throttles',
        meaning: `${node.id} is throttled: the account's concurrency is used up.`,
      },
      lambda.metricThrottles({ period: Duration.minutes(5) }),
    );
    this.addAlarm(
      { of: node.id, kind: 'Duration', meaning: `An invocation of ${node.id} came near its time limit.` },
      lambda.metricDuration({ period: Duration.minutes(5), statistic: 'Maximum' }),
      { above: NEAR_TIME_LIMIT * timeout.toMilliseconds() },
    );
  }

  private watchTable(table: ConnectorTable): void {
    this.addAlarm(
      {
        of: table.node.id,
        kind: 'TableThrottles',
        meaning: `The table ${table.node.id} throttles requests.`,
      },
      sumOf(...table.metricsThrottles()),
      // DynamoDB throttles for a short time while it adapts a table to more load; the SDK retries.
      { evaluationPeriods: 3 },
    );
  }

  private watchRules(rules: readonly Rule[]): void {
    this.addAlarm(
      {
        kind: 'EventsUndelivered',
        meaning: 'EventBridge could not deliver events to queues, or start a scheduled function.',
      },
      sumOf(...rules.map(failedInvocations)),
    );
  }

  /** A 5xx answer does not count among a function's errors, so the API needs alarms of its own. */
  private watchApi(api: ConnectorApi): void {
    // The first few may be the marketplace's own errors, passed on to the caller.
    this.addAlarm(
      { kind: 'ApiErrors', meaning: 'Requests of the HTTP API fail.' },
      api.metricServerErrors(),
      { above: 5 },
    );
    // The first one counts, as the marketplace may not send it again. Posts without a signature don't: anyone may send them.
    this.addAlarm(
      { kind: 'WebhooksRefused', meaning: 'Final summaries that came signed by webhook were not taken.' },
      sumOf(this.ownMetric('WebhooksRefused', 'webhook-receiver'), api.metricWebhookFailures()),
    );
  }

  private watchCommands(functionId: string, service: string): void {
    this.addAlarm(
      {
        of: functionId,
        kind: 'CommandAge',
        meaning: `Commands of the ${service} have been deferred repeatedly for more than ${COMMANDS_WAIT.toMinutes()} minutes.`,
      },
      // Reported whenever a command is deferred, so at least every 10 minutes.
      this.ownMetric('CommandAge', service, 'Maximum').with({ period: Duration.minutes(15) }),
      { above: COMMANDS_WAIT.toMilliseconds() },
    );
  }

  private addAlarm(
    { of = '', kind, meaning }: AlarmText,
    metric: Metric | MathExpression,
    options: AlarmOptions = {},
  ): void {
    const name = `${of}${kind}`;
    const created = metric.createAlarm(this, name, {
      threshold: options.above ?? 0,
      evaluationPeriods: options.evaluationPeriods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.treatMissingData ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} What to do: ${RUNBOOK}#${name.toLowerCase()}`,
    });
    if (!this.alarmTopic) return;
    created.addAlarmAction(new SnsAction(this.alarmTopic));
    created.addOkAction(new SnsAction(this.alarmTopic));
  }

  /** A metric that the function with this service name reports itself. */
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
