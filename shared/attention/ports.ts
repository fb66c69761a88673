/** A dead-letter queue that is not empty. */
export interface DeadLetters {
  readonly arn: string;
  /** ARN of the queue whose messages could not be processed. */
  readonly queueArn: string;
  /** Approximate, as SQS counts. */
  readonly messages: number;
  /** ISO 8601: sent time of the oldest of the first few messages; absent if all of them are hidden. */
  readonly oldestSentAt?: string;
}

export interface DeadLetterQueues {
  /** The dead-letter queues that are not empty. */
  list(): Promise<DeadLetters[]>;
}
