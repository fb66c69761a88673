import { Duration } from 'aws-cdk-lib';
import {
  type AlarmBase,
  AlarmRule,
  type CfnCompositeAlarm,
  ComparisonOperator,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { commandPerformers, constructIdOf, type FunctionName } from '../function-names.ts';
import {
  type Alarm,
  alarmOfRules,
  alarmOfTable,
  alarmsOfFunction,
  alarmsOfQueue,
  type Severity,
} from './alarms-of-resources.ts';
import type { ConnectorApi } from './connector-api.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';
import type { ConnectorTable } from './connector-table.ts';
import { ownMetric, sumOf } from './metrics.ts';

const RUNBOOK = 'docs/runbook.md';

/** A deferred command that is older raises an alarm. */
const COMMANDS_WAIT = Duration.hours(1);
/** An alarm is raised when the oldest waiting change of stock or price is older. */
const OLDEST_CHANGE_AGE = Duration.minutes(15);
/** The limiter counts as saturated above this percentage of the allowed requests. Some permits always stay unused. */
const SATURATED_PERCENT = 90;
/** Drift of more than this percentage of the compared listings is more than the edits of others can explain. */
const DRIFT_PERCENT = 5;

export interface ConnectorAlarmsProps {
  readonly queues: readonly ConnectorQueue[];
  readonly functions: readonly ConnectorFunction[];
  readonly tables: readonly ConnectorTable[];
  /** Rules of buses and schedules; at most 10, the most metrics of one alarm. */
  readonly rules: readonly Rule[];
  readonly api: ConnectorApi;
  /** Topics to notify. Default: none, the alarms only change their state. */
  readonly topics: Readonly<Record<Exclude<Severity, 'part'>, ITopic | undefined>>;
  /** Whether the end of an alarm notifies its topic too. */
  readonly alarmOkMessages: boolean;
  /**
   * An alarm is raised when the end of a store's last verification is longer ago. Must be longer than the time between two verifications.
   */
  readonly oldestCycleAge: Duration;
}

/**
 * Alarms on everything that needs a person: dead letters; messages and changes that wait too long; functions that fail,
 * are throttled or come near their time limit; throttled tables; undelivered events; failed requests of the HTTP API;
 * webhooks that are not taken; refused credentials; drift and late verifications; orders, batches and requests of unknown
 * outcome; a saturated limiter. Alarms on values that are lost or not sent are urgent. The effects of a failing function or table show in
 * those alarms.
 */
export class ConnectorAlarms extends Construct {
  constructor(scope: Construct, id: string, props: ConnectorAlarmsProps) {
    super(scope, id);
    const { queues, functions, tables, rules, api, oldestCycleAge } = props;
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
    const parts: AlarmBase[] = [];
    for (const alarm of alarms) {
      const created = this.add(alarm);
      if (alarm.severity === 'part') parts.push(created);
      else this.notify(created, alarm.severity ?? 'nextDay', props);
    }
    this.notify(this.addComposite(parts), 'urgent', props);
  }

  /** A 5xx answer does not count as an error of a function, so the API has its own alarms. */
  private alarmsOfApi(api: ConnectorApi): Alarm[] {
    const refused = ownMetric(this, 'WebhooksRefused', 'webhook-receiver');
    return [
      // A few 5xx answers may be errors of the marketplace that are passed on to the caller.
      {
        kind: 'ApiErrors',
        meaning: 'Requests of the HTTP API fail.',
        metric: api.metricServerErrors(),
        above: 5,
      },
      // One refused webhook is enough: the marketplace may not send it again. Posts without a signature don't count, as anyone may send
      // them.
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
      // The metric is reported whenever a command is deferred, so at least every 10 minutes.
      metric: ownMetric(this, 'CommandAge', service, 'Maximum').with({ period: Duration.minutes(15) }),
      above: COMMANDS_WAIT.toMilliseconds(),
    };
  }

  /** The lane-waker reports these metrics every minute. */
  private alarmsOfLanes(): Alarm[] {
    return [
      {
        kind: 'PartnerRefused',
        severity: 'part',
        meaning:
          "The partner's credentials are refused or not set: all lanes are stopped until they are right.",
        // The function that stopped the lanes does not report it, as it may be killed before.
        metric: ownMetric(this, 'LanesStopped', 'lane-waker'),
      },
      {
        kind: 'MarketplaceFailing',
        severity: 'part',
        meaning: 'The marketplace does not answer, or answers that it can not: what is to be sent waits.',
        metric: ownMetric(this, 'MarketplaceFailing', 'lane-waker', 'Maximum').with({
          period: Duration.minutes(1),
        }),
        evaluationPeriods: 2,
      },
      {
        kind: 'SendingStopped',
        severity: 'part',
        meaning:
          'Changes of stock or prices wait, and no request has succeeded for minutes; or the lane-waker does not run.',
        metric: ownMetric(this, 'SendingStopped', 'lane-waker', 'Maximum').with({
          period: Duration.minutes(1),
        }),
        treatMissingData: TreatMissingData.BREACHING,
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
        severity: 'urgent',
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
        metric: ownMetric(this, 'OrdersUnknown', 'order-producer'),
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

  private add({ of = '', kind, meaning, metric, ...options }: Alarm): AlarmBase {
    const name = `${of}${kind}`;
    return metric.createAlarm(this, name, {
      threshold: options.above ?? 0,
      evaluationPeriods: options.evaluationPeriods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.treatMissingData ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: describe(name, meaning),
    });
  }

  /** The composite alarm sends one message for an outage, whichever of its parts are raised. */
  private addComposite(parts: AlarmBase[]): AlarmBase {
    const name = 'DoesNotSend';
    const composite = new CompositeAlarm(this, name, {
      alarmRule: AlarmRule.anyOf(...parts),
      alarmDescription: describe(name, 'The connector does not send to the marketplace.'),
    });
    // CDK derives a name from the construct's path, which two stacks of one account may share.
    (composite.node.defaultChild as CfnCompositeAlarm).alarmName = undefined;
    return composite;
  }

  private notify(alarm: AlarmBase, severity: Exclude<Severity, 'part'>, props: ConnectorAlarmsProps): void {
    const topic = props.topics[severity];
    if (!topic) return;
    alarm.addAlarmAction(new SnsAction(topic));
    if (props.alarmOkMessages) alarm.addOkAction(new SnsAction(topic));
  }
}

function describe(name: string, meaning: string): string {
  return `${meaning} What to do: ${RUNBOOK}#${name.toLowerCase()}`;
}
