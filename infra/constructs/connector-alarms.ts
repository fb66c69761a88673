import { Duration, Stack } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ConnectorApi } from './connector-api.ts';
import type { ConnectorFunction } from './connector-function.ts';
import type { ConnectorQueue } from './connector-queue.ts';

const RUNBOOK = 'docs/runbook.md';

/** Those that defer commands: the `service` of their metrics, by the ID of their function. */
const COMMAND_SERVICES = {
  ProductProducer: 'product-producer',
  OrderProducer: 'order-producer',
  DocumentFetcher: 'document-fetcher',
} as const;
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

interface AlarmText {
  /** ID of the queue or function that the alarm watches, where there is one alarm for each. Default: none. */
  readonly of?: string;
  /** What it watches; a heading of the runbook, and the end of the alarm's name. */
  readonly kind: string;
  /** The first sentence of its description. */
  readonly meaning: string;
}

interface AlarmOptions {
  /** Value above which the alarm is raised. Default: 0. */
  readonly above?: number;
  /** Periods in a row. Default: one. */
  readonly evaluationPeriods?: number;
  /** Default: not breaching. */
  readonly treatMissingData?: TreatMissingData;
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
    const { oldestMessageAge = Duration.minutes(15), oldestChangeAge = Duration.minutes(15) } = props;
    for (const queue of props.queues) this.watchQueue(queue, oldestMessageAge);
    for (const fn of props.functions) this.watchFunction(fn);
    if (props.api) this.watchApi(props.api);
    for (const [id, service] of Object.entries(COMMAND_SERVICES)) this.watchCommands(id, service);
    this.addAlarm(
      {
        kind: 'PartnerRefused',
        meaning:
          "The marketplace refuses the partner's credentials: all lanes are stopped until they are right.",
      },
      // What the waker sees every minute, as the function that stopped the lanes may end before it reports that. There is
      // nothing to see before the first request.
      this.ownMetric('LanesStopped', 'lane-waker'),
    );
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
    // Whatever keeps a lane from sending, the marketplace's refusals of an unknown kind included, shows in this alone.
    this.addAlarm(
      {
        kind: 'OldestChangeAge',
        meaning: 'Changes of stock or prices wait for too long to be sent, or the lane-waker does not run.',
      },
      this.ownMetric('OldestChangeAge', 'lane-waker', 'Maximum'),
      // The waker reports it every minute, be it 0.
      { above: oldestChangeAge.toMilliseconds(), treatMissingData: TreatMissingData.BREACHING },
    );
  }

  private watchQueue({ node, queue, deadLetters }: ConnectorQueue, oldestMessageAge: Duration): void {
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
      { above: oldestMessageAge.toSeconds(), evaluationPeriods: 5 },
    );
  }

  private watchFunction({ node, lambda, isScheduled }: ConnectorFunction): void {
    this.addAlarm(
      { of: node.id, kind: 'Errors', meaning: `Invocations of ${node.id} fail.` },
      lambda.metricErrors({ period: Duration.minutes(5) }),
      // The next round of a schedule makes up for one that failed. A message that fails is redelivered later than that: no
      // two periods in a row would ever see it.
      { evaluationPeriods: isScheduled ? 2 : 1 },
    );
    // One for each: an alarm on their sum may have 10 metrics at most.
    this.addAlarm(
      {
        of: node.id,
        kind: 'Throttles',
        meaning: `${node.id} is throttled: the account's concurrency is used up.`,
      },
      lambda.metricThrottles({ period: Duration.minutes(5) }),
    );
  }

  /** What a function behind the API answers is none of its errors, whatever the status. */
  private watchApi(api: ConnectorApi): void {
    // A few are the marketplace's own, passed on to the caller.
    this.addAlarm(
      { kind: 'ApiErrors', meaning: 'Requests of the HTTP API fail.' },
      api.metricServerErrors(),
      { above: 5 },
    );
    // It is not known whether the marketplace sends one again.
    this.addAlarm(
      { kind: 'WebhooksRefused', meaning: 'Final summaries that came by webhook were not taken.' },
      sumOf(api.metricWebhooks('4xx'), api.metricWebhooks('5xx')),
    );
  }

  private watchCommands(functionId: string, service: string): void {
    this.addAlarm(
      {
        of: functionId,
        kind: 'CommandAge',
        meaning: `Commands of the ${service} have been deferred repeatedly for more than ${COMMANDS_WAIT.toMinutes()} minutes.`,
      },
      // Reported whenever a command is deferred, which is for 10 minutes at most.
      this.ownMetric('CommandAge', service, 'Maximum').with({ period: Duration.minutes(15) }),
      { above: COMMANDS_WAIT.toMilliseconds() },
    );
  }

  private addAlarm(
    { of = '', kind, meaning }: AlarmText,
    metric: Metric | MathExpression,
    options: AlarmOptions = {},
  ): void {
    const created = metric.createAlarm(this, `${of}${kind}`, {
      threshold: options.above ?? 0,
      evaluationPeriods: options.evaluationPeriods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.treatMissingData ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} What to do: ${RUNBOOK}#${kind.toLowerCase()}`,
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

/** The sum of two metrics; a missing one counts as zero. */
function sumOf(one: Metric, other: Metric): MathExpression {
  return new MathExpression({
    expression: 'FILL(one, 0) + FILL(other, 0)',
    usingMetrics: { one, other },
    period: Duration.minutes(5),
  });
}
