import type { EpochMs } from '../time/times.ts';

/** A message that could not be processed. */
export interface DeadLetterMessage {
  readonly messageId: string;
  readonly body: string;
  readonly sentAt: EpochMs;
  /** What the queue deletes it by. */
  readonly receiptHandle: string;
}

/** The messages of the dead-letter queues, by the name of their queue. */
export interface DeadLetterMessages {
  /** Those of `messageIds` that are in the queue; `undefined` if no dead-letter queue has the name. They are hidden for seconds. */
  find(queue: string, messageIds: readonly string[]): Promise<DeadLetterMessage[] | undefined>;
  remove(queue: string, message: DeadLetterMessage): Promise<void>;
}
