/** A dead-letter queue that is not empty. */
export interface DeadLetters {
  readonly arn: string;
  /** Of the queue whose messages could not be processed. */
  readonly queueArn: string;
  /** How many it has; SQS counts roughly. */
  readonly messages: number;
  /** ISO 8601: when the oldest of the first few messages was sent; absent where all of them are hidden. */
  readonly oldestSentAt?: string;
}

/** The dead-letter queues of the stack. */
export interface DeadLetterQueues {
  /** Those that are not empty. */
  list(): Promise<DeadLetters[]>;
}
