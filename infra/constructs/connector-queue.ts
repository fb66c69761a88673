import { Duration } from 'aws-cdk-lib';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Setting } from '../../shared/settings/environment.ts';
import type { ConnectorFunction } from './connector-function.ts';

type QueueVariable = Extract<Setting, `${string}QueueUrl`>;

/** Days that a dead letter is kept: the maximum of SQS. */
export const DEAD_LETTER_DAYS = 14;

/** Most messages that Lambda hands to one invocation without a batching window. */
const MOST_WITHOUT_WINDOW = 10;

export interface ConnectorQueueProps {
  /** Setting that gives a sender the queue's URL. */
  readonly variable: QueueVariable;
  /** Time limit of the function that reads the queue. */
  readonly consumerTimeout: Duration;
  /** How long Lambda may gather a batch of messages. Default: 0. */
  readonly batchingWindow?: Duration;
  /** Receives before a message goes to the dead-letter queue. Default: 5. */
  readonly maxReceiveCount?: number;
}

export interface FeedProps {
  /** Most messages per invocation. Without a batching window it is 10 at most. */
  readonly batchSize: number;
  /** Most invocations at the same time, at least 2. */
  readonly maxConcurrency: number;
}

/**
 * A standard queue with its dead-letter queue, encrypted by SQS; it accepts TLS only. The visibility timeout is six times
 * the reader's time limit, as Lambda recommends, plus the batching window, as its clock starts before the window.
 */
export class ConnectorQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** Time limit of the function that reads the queue. */
  readonly consumerTimeout: Duration;
  private readonly props: ConnectorQueueProps;

  constructor(scope: Construct, id: string, props: ConnectorQueueProps) {
    super(scope, id);
    this.props = props;
    this.consumerTimeout = props.consumerTimeout;
    const windowSeconds = props.batchingWindow?.toSeconds() ?? 0;
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    // A message keeps its age when it moves, so dead letters must be kept longer than messages.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      retentionPeriod: Duration.days(DEAD_LETTER_DAYS),
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(6 * props.consumerTimeout.toSeconds() + windowSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount ?? 5 },
    });
  }

  /**
   * Invokes `fn` with the queue's messages. It answers with the messages that failed.
   *
   * @throws Error if `fn` may run for longer than the queue's `consumerTimeout` says
   */
  feed(fn: ConnectorFunction, props: FeedProps): void {
    if (fn.timeout.toSeconds() > this.consumerTimeout.toSeconds()) {
      throw new Error(`${fn.node.path} may run for longer than the consumerTimeout of ${this.node.path}`);
    }
    fn.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [this.queue.queueArn]);
    const hasWindow = (this.props.batchingWindow?.toSeconds() ?? 0) > 0;
    new EventSourceMapping(fn, 'Messages', {
      target: fn.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: hasWindow ? props.batchSize : Math.min(props.batchSize, MOST_WITHOUT_WINDOW),
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
      ...(this.props.batchingWindow ? { maxBatchingWindow: this.props.batchingWindow } : {}),
    });
  }

  /** The queue as the target of a bus rule. An undeliverable event goes to the dead-letter queue. */
  asRuleTarget(): SqsQueue {
    return new SqsQueue(this.queue, { deadLetterQueue: this.deadLetters });
  }

  /** Lets `fn` count the dead letters and read when they were sent. */
  allowLookAtDeadLetters(fn: ConnectorFunction): void {
    fn.allow(
      ['sqs:GetQueueAttributes', 'sqs:ListDeadLetterSourceQueues', 'sqs:ReceiveMessage'],
      [this.deadLetters.queueArn],
    );
  }

  /** Gives `fn` the queue's URL and lets it send messages. */
  allowSend(fn: ConnectorFunction): void {
    fn.set({ [this.props.variable]: this.queue.queueUrl });
    fn.allow(['sqs:SendMessage'], [this.queue.queueArn]);
  }
}
