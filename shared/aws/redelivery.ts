import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { AT_A_TIME, forEachConcurrently } from '../collections/for-each-concurrently.ts';
import { chunk } from '../collections/packer.ts';

/** A message that was received and failed. */
export interface FailedMessage {
  readonly receiptHandle: string;
  /** How often the message was received, this time included. */
  readonly receives: number;
}

/** Longest pause before a redelivery, in seconds. */
const LONGEST_PAUSE_SECONDS = 300;

/** Seconds until a failed message is redelivered: 2, 4, 8, …, at most 300. */
export function pauseSecondsAfter(receives: number): number {
  return Math.min(2 ** Math.max(1, receives), LONGEST_PAUSE_SECONDS);
}

const MESSAGES_PER_CALL = 10;

/**
 * Makes failed messages visible again after a pause that grows with their receives, in place of the queue's visibility timeout.
 *
 * @throws the error of SQS. A message that was not changed is redelivered after the visibility timeout.
 */
export async function redeliverSoon(
  client: Pick<SQSClient, 'send'>,
  queueUrl: string,
  messages: readonly FailedMessage[],
): Promise<void> {
  await forEachConcurrently(chunk(messages, MESSAGES_PER_CALL), AT_A_TIME, async (some) => {
    const Entries = some.map(({ receiptHandle, receives }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: pauseSecondsAfter(receives),
    }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
  });
}
