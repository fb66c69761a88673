import type { IsoTime } from '../time/times.ts';

/** A dead-letter queue that is not empty. */
export interface DeadLetters {
  /** What its messages are about, such as `Changes`. */
  readonly topic: string;
  readonly arn: string;
  /** ARN of the queue whose messages could not be processed. */
  readonly queueArn: string;
  /** Approximate, as SQS counts. */
  readonly messages: number;
  /** Sent time of the oldest of the first few messages; absent if all of them are hidden. */
  readonly oldestSentAt?: IsoTime;
}

export interface DeadLetterQueues {
  /** Number of dead-letter queues, including empty ones. */
  readonly count: number;
  /** The dead-letter queues that are not empty. */
  list(): Promise<DeadLetters[]>;
}
