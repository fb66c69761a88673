import { Duration } from 'aws-cdk-lib';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, EventSourceMapping, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { type CfnQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Setting } from '../../shared/settings/environment.ts';
import { DEAD_LETTER_DAYS } from '../setting-fields.ts';
import type { ConnectorFunction } from './connector-function.ts';

type QueueVariable = Exclude<Extract<Setting, `${string}QueueUrl`>, 'sourceQueueUrl'>;

/**
 * A message goes to the dead-letter queue after this many receives. A failed message is received again after 2, 4, 8, … and at most 300
 * seconds, so it gets there within half an hour. After a crash, it is received again after the visibility timeout.
 */
const MAX_RECEIVES = 12;

/** Most messages that Lambda hands to one invocation without a batching window. */
const MOST_WITHOUT_WINDOW = 10;

export interface ConnectorQueueProps {
  /** Setting that gives a sender the queue's URL. */
  readonly variable: QueueVariable;
  /** How long Lambda may gather a batch of messages. Default: 0. */
  readonly batchingWindow?: Duration;
}

export interface FeedProps {
  /** Most messages per invocation. Without a batching window it is 10 at most. */
  readonly batchSize: number;
  /** Most invocations at the same time, at least 2. */
  readonly maxConcurrency: number;
}

/** A standard queue with its dead-letter queue, encrypted by SQS; it accepts TLS only. */
export class ConnectorQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** The function that reads the queue. */
  reader?: ConnectorFunction;
  private readonly props: ConnectorQueueProps;

  constructor(scope: Construct, id: string, props: ConnectorQueueProps) {
    super(scope, id);
    this.props = props;
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // The maximum of SQS. The earlier default, 256 KB, is less than functions send.
      maxMessageSizeBytes: 1_048_576,
    };
    // A message keeps its age when it moves, so dead letters must be kept longer than messages.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      retentionPeriod: Duration.days(DEAD_LETTER_DAYS),
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }

  /**
   * Invokes `fn` with the queue's messages. `fn` answers with the messages that failed. A received message is hidden for six times the
   * time limit of `fn`, as Lambda recommends, plus the batching window, as SQS's clock starts before the window. A failed message is
   * hidden only for the seconds that `fn` sets.
   */
  feed(fn: ConnectorFunction, props: FeedProps): void {
    const windowSeconds = this.props.batchingWindow?.toSeconds() ?? 0;
    this.reader = fn;
    (this.queue.node.defaultChild as CfnQueue).visibilityTimeout = 6 * fn.timeout.toSeconds() + windowSeconds;
    fn.set({ sourceQueueUrl: this.queue.queueUrl });
    fn.allow(
      ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      [this.queue.queueArn],
    );
    new EventSourceMapping(fn, 'Messages', {
      target: fn.lambda,
      eventSourceArn: this.queue.queueArn,
      batchSize: windowSeconds > 0 ? props.batchSize : Math.min(props.batchSize, MOST_WITHOUT_WINDOW),
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
      ...(this.props.batchingWindow ? { maxBatchingWindow: this.props.batchingWindow } : {}),
    });
  }

  /**
   * The queue as the target of a bus rule. An undeliverable event goes to the dead-letter queue.
   *
   * @param messageGroupId path of the message group in the event. Default: no group
   */
  asRuleTarget(messageGroupId?: string): SqsQueue {
    return new SqsQueue(this.queue, {
      deadLetterQueue: this.deadLetters,
      ...(messageGroupId !== undefined && { messageGroupId }),
    });
  }

  /** Lets `fn` count the messages and the dead letters, read dead letters, and delete the ones that an operator names. */
  allowLook(fn: ConnectorFunction): void {
    allowByQueue(fn, this.queue, ['sqs:GetQueueAttributes']);
    allowByQueue(fn, this.deadLetters, ['sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:DeleteMessage']);
  }

  /** Gives `fn` the queue's URL and lets it send messages. */
  allowSend(fn: ConnectorFunction): void {
    // By default Lambda stops a function that feeds its own queue after about 16 rounds.
    if (fn === this.reader) (fn.lambda.node.defaultChild as CfnFunction).recursiveLoop = RecursiveLoop.ALLOW;
    fn.set({ [this.props.variable]: this.queue.queueUrl });
    fn.allow(['sqs:SendMessage'], [this.queue.queueArn]);
  }
}

/** Allows actions by the queue's own policy: the grants of all queues do not fit into the policy of a role. */
function allowByQueue(fn: ConnectorFunction, queue: Queue, actions: readonly string[]): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [fn.grantPrincipal],
      actions: [...actions],
      resources: [queue.queueArn],
    }),
  );
}
