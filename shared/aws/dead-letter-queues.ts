import {
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetterQueues, DeadLetters } from '../attention/ports.ts';

/** The maximum of one receive in SQS. */
const MAX_MESSAGES = 10;

/** The dead-letter queues with these URLs. Each belongs to one queue. */
export function createDeadLetterQueues(client: SQSClient, queueUrls: readonly string[]): DeadLetterQueues {
  return {
    count: queueUrls.length,
    list: async () => (await Promise.all(queueUrls.map((url) => deadLettersIn(client, url)))).flat(),
  };
}

async function deadLettersIn(client: SQSClient, QueueUrl: string): Promise<DeadLetters[]> {
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
  return [{ arn, queueArn, messages, ...(oldestSentAt !== undefined && { oldestSentAt }) }];
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
