import { Duration } from 'aws-cdk-lib';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Setting } from '../../shared/settings/environment.ts';
import type { ConnectorFunction } from './connector-function.ts';

type QueueVariable = Extract<Setting, `${string}QueueUrl`>;

/** Days after which a message is gone, be it a dead letter: the most that SQS keeps one. */
export const DEAD_LETTER_DAYS = 14;

export interface ConnectorQueueProps {
  /** Setting that gives a sender the queue's URL. Default: none, functions do not send to it. */
  readonly variable?: QueueVariable;
  /** Time limit of the function that reads the queue. */
  readonly consumerTimeout: Duration;
  /** How long a batch of messages may be gathered. Default: not at all. */
  readonly batchingWindow?: Duration;
  /** Receives before a message goes to the dead-letter queue. Default: 5. */
  readonly maxReceiveCount?: number;
}

export interface FeedProps {
  /** Messages handed to one invocation at most; more than 10 need a batching window. */
  readonly batchSize: number;
  /** Invocations at the same time at most, 2 or more. */
  readonly maxConcurrency: number;
}

/**
 * A standard queue with its dead-letter queue, encrypted by SQS and open to TLS only. A message is hidden for six times
 * the reader's time limit plus the batching window, as Lambda asks, since its clock starts before the window does.
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
    // A message keeps its age when it moves, so the dead-letter queue must keep it for longer than the queue does.
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
   * Has the queue's messages handed to `fn`, which answers with those that failed.
   *
   * @throws Error if `fn` may run for longer than the queue's `consumerTimeout` says
   */
  feed(fn: ConnectorFunction, props: FeedProps): void {
    if (fn.timeout.toSeconds() > this.consumerTimeout.toSeconds()) {
      throw new Error(`${fn.node.path} may run for longer than the consumerTimeout of ${this.node.path}`);
    }
    fn.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [this.queue.queueArn]);
    new EventSourceMapping(fn, 'Messages', {
      target: fn.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize,
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
      ...(this.props.batchingWindow ? { maxBatchingWindow: this.props.batchingWindow } : {}),
    });
  }

  /** The queue as the target of a bus rule; an event that can not be delivered joins the dead letters. */
  asRuleTarget(): SqsQueue {
    return new SqsQueue(this.queue, { deadLetterQueue: this.deadLetters });
  }

  /** Lets `fn` look at the dead letters: how many there are, and when they were sent. */
  allowLookAtDeadLetters(fn: ConnectorFunction): void {
    fn.allow(
      ['sqs:GetQueueAttributes', 'sqs:ListDeadLetterSourceQueues', 'sqs:ReceiveMessage'],
      [this.deadLetters.queueArn],
    );
  }

  /**
   * Gives `fn` the queue's URL and lets it send messages.
   *
   * @throws Error if the queue has no setting for its URL
   */
  allowSend(fn: ConnectorFunction): void {
    if (!this.props.variable) throw new Error(`${this.node.path} is not a queue that functions send to`);
    fn.set({ [this.props.variable]: this.queue.queueUrl });
    fn.allow(['sqs:SendMessage'], [this.queue.queueArn]);
  }
}
