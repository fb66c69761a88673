import { Duration } from 'aws-cdk-lib';
import type { MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';
import type { ConnectorTable } from './connector-table.ts';
import { failedInvocations, sumOf } from './metrics.ts';

/**
 * A queue's alarm is raised when its oldest message is older than this, or older than four times the time limit of its reader if that is
 * more.
 */
const OLDEST_MESSAGE_AGE = Duration.minutes(15);
/** An alarm is raised when a function uses this part of its time limit. Functions that watch their deadline use less. */
const NEAR_TIME_LIMIT = 0.95;
/**
 * The queues with urgent messages: while they wait, values at the marketplace are wrong, or a buyer waits. Messages of other queues can
 * wait for a schedule or the next day.
 */
const URGENT_QUEUES: readonly string[] = ['Changes', 'OrderCommands'];

/**
 * What an alarm asks of a person. `urgent`: act at once, also at night. `nextDay`: look the next day. `part`: nothing by itself, as the
 * alarm is a part of the alarm DoesNotSend.
 */
export type Severity = 'urgent' | 'nextDay' | 'part';

/** An alarm to be created. */
export interface Alarm {
  /** Construct ID of the watched queue, function or table. Default: none, the alarm watches the whole stack. */
  readonly of?: string;
  /** End of the alarm's name. */
  readonly kind: string;
  /** The first sentence of its description. */
  readonly meaning: string;
  /** Default: `nextDay`. */
  readonly severity?: Severity;
  readonly metric: Metric | MathExpression;
  /** The alarm is raised above this value. Default: 0. */
  readonly above?: number;
  /** Periods in a row above the value. Default: 1. */
  readonly evaluationPeriods?: number;
  /** Default: not breaching. */
  readonly treatMissingData?: TreatMissingData;
}

export function alarmsOfQueue({ node: { id: of }, queue, deadLetters, reader }: ConnectorQueue): Alarm[] {
  const options = { period: Duration.minutes(1), statistic: 'Maximum' };
  const severity = URGENT_QUEUES.includes(of) ? 'urgent' : 'nextDay';
  return [
    {
      of,
      kind: 'DeadLetters',
      severity,
      meaning: `Messages of the queue ${of} could not be processed.`,
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(options),
    },
    {
      of,
      kind: 'Age',
      severity,
      meaning: `Messages of the queue ${of} wait for too long.`,
      metric: queue.metricApproximateAgeOfOldestMessage(options),
      above: Math.max(OLDEST_MESSAGE_AGE.toSeconds(), 4 * (reader?.timeout.toSeconds() ?? 0)),
      evaluationPeriods: 5,
    },
  ];
}

export function alarmsOfFunction({
  node: { id: of },
  lambda,
  isScheduled,
  timeout,
}: ConnectorFunction): Alarm[] {
  const period = Duration.minutes(5);
  return [
    {
      of,
      kind: 'Errors',
      meaning: `Invocations of ${of} fail.`,
      metric: lambda.metricErrors({ period }),
      // The next run of a schedule does the work of a failed one.
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

export function alarmOfTable(table: ConnectorTable): Alarm {
  return {
    of: table.node.id,
    kind: 'TableThrottles',
    meaning: `The table ${table.node.id} throttles requests.`,
    metric: sumOf(...table.metricsThrottles()),
    // DynamoDB throttles for a short time while it adapts a table to more load; the SDK retries.
    evaluationPeriods: 3,
  };
}

export function alarmOfRules(rules: readonly Rule[]): Alarm {
  return {
    kind: 'EventsUndelivered',
    // A missed event is not repeated.
    severity: 'urgent',
    meaning: 'EventBridge could not deliver events to queues, or start a scheduled function.',
    metric: sumOf(...rules.map(failedInvocations)),
  };
}
