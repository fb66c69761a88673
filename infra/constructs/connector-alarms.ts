import { Duration } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { commandPerformers, constructIdOf, type FunctionName } from '../function-names.ts';
import type { ConnectorApi } from './connector-api.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';
import type { ConnectorTable } from './connector-table.ts';
import { failedInvocations, ownMetric, sumOf } from './metrics.ts';

const RUNBOOK = 'docs/runbook.md';

/** Age above which a deferred command raises an alarm. */
const COMMANDS_WAIT = Duration.hours(1);
/** Age of the oldest waiting change of stock or price above which its alarm is raised. */
const OLDEST_CHANGE_AGE = Duration.minutes(15);
/** Age of a queue's oldest message above which its alarm is raised, or four times the time limit of its reader if that is more. */
const OLDEST_MESSAGE_AGE = Duration.minutes(15);
/** Part of a function's time limit that raises an alarm. Functions that watch their deadline use less. */
const NEAR_TIME_LIMIT = 0.95;
/** Percent of the allowed requests above which the limiter counts as saturated. Some permits always stay unused. */
const SATURATED_PERCENT = 90;
/** Percent of the compared listings above which drift is more than the edits of others. */
const DRIFT_PERCENT = 5;

export interface ConnectorAlarmsProps {
  readonly queues: readonly ConnectorQueue[];
  readonly functions: readonly ConnectorFunction[];
  readonly tables: readonly ConnectorTable[];
  /** Rules of buses and schedules; at most 10, the most metrics of one alarm. */
  readonly rules: readonly Rule[];
  readonly api: ConnectorApi;
  /** Topic to notify. Default: none, the alarms only change their state. */
  readonly alarmTopic: ITopic | undefined;
  /**
   * Time since the end of a store's last verification above which its alarm is raised: more than the time between two of them.
   */
  readonly oldestCycleAge: Duration;
}

interface Alarm {
  /** Construct ID of the watched queue, function or table. Default: none, the alarm watches the whole stack. */
  readonly of?: string;
  /** End of the alarm's name. */
  readonly kind: string;
  /** The first sentence of its description. */
  readonly meaning: string;
  readonly metric: Metric | MathExpression;
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
 * webhooks that are not taken; refused credentials; drift and late verifications; orders, batches and requests of unknown
 * outcome; a saturated limiter.
 */
export class ConnectorAlarms extends Construct {
  constructor(scope: Construct, id: string, props: ConnectorAlarmsProps) {
    super(scope, id);
    const { queues, functions, tables, rules, api, alarmTopic, oldestCycleAge } = props;
    const alarms = [
      ...queues.flatMap(alarmsOfQueue),
      ...functions.flatMap(alarmsOfFunction),
      ...tables.map(alarmOfTable),
      alarmOfRules(rules),
      ...this.alarmsOfApi(api),
      ...commandPerformers.map((service) => this.alarmOfCommands(service)),
      ...this.alarmsOfLanes(),
      ...this.alarmsOfOutcomes(),
      ...this.alarmsOfLiveValues(oldestCycleAge),
    ];
    for (const alarm of alarms) this.add(alarm, alarmTopic);
  }

  /** A 5xx answer does not count among a function's errors, so the API needs alarms of its own. */
  private alarmsOfApi(api: ConnectorApi): Alarm[] {
    const refused = ownMetric(this, 'WebhooksRefused', 'webhook-receiver');
    return [
      // The first few may be the marketplace's own errors, passed on to the caller.
      {
        kind: 'ApiErrors',
        meaning: 'Requests of the HTTP API fail.',
        metric: api.metricServerErrors(),
        above: 5,
      },
      // The first one counts, as the marketplace may not send it again. Posts without a signature don't: anyone may send them.
      {
        kind: 'WebhooksRefused',
        meaning: 'Final summaries that came signed by webhook were not taken.',
        metric: sumOf(refused, api.metricWebhookFailures()),
      },
    ];
  }

  private alarmOfCommands(service: FunctionName): Alarm {
    return {
      of: constructIdOf(service),
      kind: 'CommandAge',
      meaning: `Commands of the ${service} have been deferred repeatedly for more than ${COMMANDS_WAIT.toMinutes()} minutes.`,
      // Reported whenever a command is deferred, so at least every 10 minutes.
      metric: ownMetric(this, 'CommandAge', service, 'Maximum').with({ period: Duration.minutes(15) }),
      above: COMMANDS_WAIT.toMilliseconds(),
    };
  }

  /** The lane-waker reports these metrics every minute. */
  private alarmsOfLanes(): Alarm[] {
    return [
      {
        kind: 'PartnerRefused',
        meaning:
          "The partner's credentials are refused or not set: all lanes are stopped until they are right.",
        // Not reported by the function that stopped the lanes: it may be killed before.
        metric: ownMetric(this, 'LanesStopped', 'lane-waker'),
      },
      {
        kind: 'MarketplaceFailing',
        meaning: 'The marketplace does not answer, or answers that it can not: what is to be sent waits.',
        metric: ownMetric(this, 'MarketplaceFailing', 'lane-waker', 'Maximum').with({
          period: Duration.minutes(1),
        }),
        evaluationPeriods: 2,
      },
      {
        kind: 'LimitUtilization',
        meaning: `For an hour more than ${SATURATED_PERCENT} % of the allowed requests to the marketplace have been used.`,
        metric: ownMetric(this, 'LimitUtilization', 'lane-waker', 'Average'),
        above: SATURATED_PERCENT,
        evaluationPeriods: 12,
      },
      // The only alarm on a lane that sends nothing for an unforeseen reason, such as an unknown error of the marketplace.
      {
        kind: 'OldestChangeAge',
        meaning: 'Changes of stock or prices wait for too long to be sent, or the lane-waker does not run.',
        metric: ownMetric(this, 'OldestChangeAge', 'lane-waker', 'Maximum'),
        above: OLDEST_CHANGE_AGE.toMilliseconds(),
        treatMissingData: TreatMissingData.BREACHING,
      },
    ];
  }

  private alarmsOfOutcomes(): Alarm[] {
    return [
      {
        kind: 'OrdersUnknown',
        meaning:
          'It is unknown whether the marketplace took some decisions or dropoffs: an operator has to resolve or retry them.',
        metric: sumOf(
          ownMetric(this, 'OrdersUnknown', 'order-producer'),
          ownMetric(this, 'OrdersUnknown', 'operations-api'),
        ),
      },
      {
        kind: 'BatchesUnresolved',
        meaning: 'Batches ended unresolved: an operator has to say how their unknown rows ended.',
        metric: ownMetric(this, 'BatchesUnresolved', 'batch-sweeper'),
      },
      {
        kind: 'RequestsAbandoned',
        meaning:
          'Requests of commands were left by the function that sent them, and ended by the batch-sweeper.',
        metric: ownMetric(this, 'RequestsAbandoned', 'batch-sweeper'),
      },
    ];
  }

  private alarmsOfLiveValues(oldestCycleAge: Duration): Alarm[] {
    return [
      {
        kind: 'DriftRate',
        meaning: `The marketplace shows other values than the accepted ones for more than ${DRIFT_PERCENT} % of the listings that were compared.`,
        metric: ownMetric(this, 'DriftRate', 'listing-verifier', 'Maximum'),
        above: DRIFT_PERCENT,
      },
      {
        kind: 'OldestCycleAge',
        meaning: 'The products of some store have not been compared with its listings for too long.',
        metric: ownMetric(this, 'OldestCycleAge', 'listing-verifier', 'Maximum'),
        above: oldestCycleAge.toMilliseconds(),
      },
    ];
  }

  private add({ of = '', kind, meaning, metric, ...options }: Alarm, topic: ITopic | undefined): void {
    const name = `${of}${kind}`;
    const created = metric.createAlarm(this, name, {
      threshold: options.above ?? 0,
      evaluationPeriods: options.evaluationPeriods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.treatMissingData ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} What to do: ${RUNBOOK}#${name.toLowerCase()}`,
    });
    if (!topic) return;
    created.addAlarmAction(new SnsAction(topic));
    created.addOkAction(new SnsAction(topic));
  }
}

function alarmsOfQueue({ node: { id: of }, queue, deadLetters, reader }: ConnectorQueue): Alarm[] {
  const options = { period: Duration.minutes(1), statistic: 'Maximum' };
  return [
    {
      of,
      kind: 'DeadLetters',
      meaning: `Messages of the queue ${of} could not be processed.`,
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(options),
    },
    {
      of,
      kind: 'Age',
      meaning: `Messages of the queue ${of} wait for too long.`,
      metric: queue.metricApproximateAgeOfOldestMessage(options),
      above: Math.max(OLDEST_MESSAGE_AGE.toSeconds(), 4 * (reader?.timeout.toSeconds() ?? 0)),
      evaluationPeriods: 5,
    },
  ];
}

function alarmsOfFunction({ node: { id: of }, lambda, isScheduled, timeout }: ConnectorFunction): Alarm[] {
  const period = Duration.minutes(5);
  return [
    {
      of,
      kind: 'Errors',
      meaning: `Invocations of ${of} fail.`,
      metric: lambda.metricErrors({ period }),
      // The next run of a schedule makes up for a failed one. A failed message is redelivered after more than one period, so
      // its errors never fall into two periods in a row.
      evaluationPeriods: isScheduled ? 2 : 1,
    },
    // One alarm per function: an alarm on their sum would need more than the 10 metrics that CloudWatch allows.
    {
      of,
      kind: 'Throttles',
      meaning: `${of} is throttled: the account's concurrency is used up.`,
      metric: lambda.metricThrottles({ period }),
    },
    {
      of,
      kind: 'Duration',
      meaning: `An invocation of ${of} came near its time limit.`,
      metric: lambda.metricDuration({ period, statistic: 'Maximum' }),
      above: NEAR_TIME_LIMIT * timeout.toMilliseconds(),
    },
  ];
}

function alarmOfTable(table: ConnectorTable): Alarm {
  return {
    of: table.node.id,
    kind: 'TableThrottles',
    meaning: `The table ${table.node.id} throttles requests.`,
    metric: sumOf(...table.metricsThrottles()),
    // DynamoDB throttles for a short time while it adapts a table to more load; the SDK retries.
    evaluationPeriods: 3,
  };
}

function alarmOfRules(rules: readonly Rule[]): Alarm {
  return {
    kind: 'EventsUndelivered',
    meaning: 'EventBridge could not deliver events to queues, or start a scheduled function.',
    metric: sumOf(...rules.map(failedInvocations)),
  };
}
