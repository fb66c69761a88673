import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetterMessage, DeadLetterMessages } from '../dead-letters/ports.ts';

/** The maximum of one receive in SQS. */
const PER_RECEIVE = 10;
/** The queue counts as read after this many receives without a new message: each receive asks only some of SQS's servers. */
const MOST_IDLE_RECEIVES = 3;
/** Most messages that are looked at to find the wanted ones. */
const MOST_LOOKED_AT = 2_000;
/** A message that was looked at is hidden for this long, so that further receives give other messages. */
const HIDDEN_SECONDS = 5;

/** The messages of the dead-letter queues with these URLs. */
export function createDeadLetterMessages(
  client: SQSClient,
  queueUrls: () => Promise<readonly string[]>,
): DeadLetterMessages {
  const urlOf = async (queue: string) => (await queueUrls()).find((url) => url.split('/').at(-1) === queue);
  return {
    find: async (queue, messageIds) => {
      const url = await urlOf(queue);
      return url === undefined ? undefined : findIn(client, url, new Set(messageIds));
    },
    remove: async (queue, { receiptHandle }) => {
      const QueueUrl = await urlOf(queue);
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle }));
    },
  };
}

/** Finds messages by receiving all of them, as SQS has no read by ID. */
async function findIn(
  client: SQSClient,
  QueueUrl: string,
  wanted: ReadonlySet<string>,
): Promise<DeadLetterMessage[]> {
  const seen = new Set<string>();
  const found = new Map<string, DeadLetterMessage>();
  for (let idle = 0; idle < MOST_IDLE_RECEIVES && found.size < wanted.size && seen.size < MOST_LOOKED_AT; ) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: PER_RECEIVE,
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    const known = seen.size;
    for (const message of Messages) {
      const { MessageId = '' } = message;
      seen.add(MessageId);
      if (wanted.has(MessageId)) found.set(MessageId, messageOf(message));
    }
    idle = seen.size === known ? idle + 1 : 0;
  }
  return [...found.values()];
}

function messageOf({
  MessageId = '',
  Body = '',
  ReceiptHandle = '',
  Attributes,
}: Message): DeadLetterMessage {
  const sentAt = Number(Attributes?.SentTimestamp ?? 0);
  return { messageId: MessageId, body: Body, sentAt, receiptHandle: ReceiptHandle };
}
