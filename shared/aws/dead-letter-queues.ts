import {
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetterQueues, DeadLetters } from '../attention/ports.ts';

/** The maximum of one receive in SQS. */
const MAX_MESSAGES = 10;

/** A dead-letter queue. It belongs to one queue. */
interface NamedQueue {
  /** What the messages are about, such as `Changes`. */
  readonly topic: string;
  readonly url: string;
}

export function createDeadLetterQueues(client: SQSClient, queues: readonly NamedQueue[]): DeadLetterQueues {
  return {
    count: queues.length,
    list: async () => (await Promise.all(queues.map((queue) => deadLettersIn(client, queue)))).flat(),
    listWaiting: async () => {
      // A ticket is no message of a partner.
      const counted = queues.filter(({ topic }) => topic !== 'Wake');
      const counts = await Promise.all(
        counted.map(async ({ topic, url }) => ({ topic, messages: await countSource(client, url) })),
      );
      return counts.filter(({ messages }) => messages > 0);
    },
  };
}

/** Messages of the queue to which the dead letters belong. A delayed one was received before: a record has it. */
async function countSource(client: SQSClient, QueueUrl: string): Promise<number> {
  const { queueUrls: [source] = [] } = await client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl }));
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: source,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  const { ApproximateNumberOfMessages: visible = 0, ApproximateNumberOfMessagesNotVisible: hidden = 0 } =
    Attributes;
  return Number(visible) + Number(hidden);
}

async function deadLettersIn(
  client: SQSClient,
  { topic, url: QueueUrl }: NamedQueue,
): Promise<DeadLetters[]> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn', 'ApproximateNumberOfMessages'] }),
  );
  const messages = Number(Attributes.ApproximateNumberOfMessages ?? 0);
  if (messages === 0) return [];
  const arn = Attributes.QueueArn ?? '';
  const [{ queueUrls = [] }, oldestSentAt] = await Promise.all([
    client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl })),
    oldestSent(client, QueueUrl),
  ]);
  const queueName = queueUrls[0]?.split('/').at(-1) ?? '';
  const queueArn = arn.replace(/[^:]*$/, queueName);
  return [{ topic, arn, queueArn, messages, ...(oldestSentAt !== undefined && { oldestSentAt }) }];
}

/** Reads up to 10 messages and leaves them visible. */
async function oldestSent(client: SQSClient, QueueUrl: string): Promise<string | undefined> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: MAX_MESSAGES,
      VisibilityTimeout: 0,
      WaitTimeSeconds: 0,
      MessageSystemAttributeNames: ['SentTimestamp'],
    }),
  );
  const times = Messages.flatMap(({ Attributes }) => Number(Attributes?.SentTimestamp) || []);
  return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
}
