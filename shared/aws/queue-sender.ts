import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { packAll } from '../collections/packer.ts';
import { ConnectorError } from '../errors/connector-error.ts';

/** SQS's own limit of one message, and of one batch of them together, in bytes. */
export const MAX_MESSAGE_BYTES = 1_048_576;
const BATCH_LIMITS = { maxItems: 10, maxBytes: MAX_MESSAGE_BYTES };
const MAX_DELAY_SECONDS = 900;
const MAX_TRIES = 4;

export interface QueueSender {
  /**
   * Durable in the queue when it resolves. `delayMs` is rounded up to whole seconds, at most 900 s.
   *
   * @throws ConnectorError `MESSAGES_NOT_SENT` (retryable) when SQS kept refusing some
   */
  send(bodies: readonly string[], options?: { delayMs?: number }): Promise<void>;
}

/** Sends messages to one queue in as few calls as SQS's limits allow. */
export function createQueueSender(client: SQSClient, queueUrl: string): QueueSender {
  return {
    send: async (bodies, { delayMs = 0 } = {}) => {
      const delaySeconds = Math.min(MAX_DELAY_SECONDS, Math.ceil(Math.max(0, delayMs) / 1000));
      const batches = packAll(bodies, BATCH_LIMITS, (body) => Buffer.byteLength(body));
      for (const batch of batches) await sendBatch(client, queueUrl, batch, delaySeconds);
    },
  };
}

/** SQS answers 200 with the entries that failed: those are sent again. */
async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  bodies: readonly string[],
  delaySeconds: number,
): Promise<void> {
  let open = bodies.map((MessageBody, index) => ({
    Id: String(index),
    MessageBody,
    DelaySeconds: delaySeconds,
  }));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: open }),
    );
    const failed = new Set(Failed.map(({ Id }) => Id));
    open = open.filter(({ Id }) => failed.has(Id));
    if (open.length === 0) return;
  }
  throw new ConnectorError(`${open.length} messages could not be sent`, {
    code: 'MESSAGES_NOT_SENT',
    retryable: true,
    details: { queueUrl },
  });
}
