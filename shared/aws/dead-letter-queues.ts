import { GetQueueAttributesCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { DeadLetterQueues, DeadLetters } from '../attention/ports.ts';
import type { QueueCounts } from '../trace/not-found.ts';

/** The maximum of one receive in SQS. */
const MAX_MESSAGES = 10;

/** A queue, and what its messages are about, such as `Changes`. */
export interface NamedQueue {
  readonly topic: string;
  readonly url: string;
}

/** The waiting messages and dead letters of some queues. `urls` are the URLs of the dead-letter queues. */
export function createDeadLetterQueues(
  client: SQSClient,
  queues: readonly NamedQueue[],
): DeadLetterQueues & QueueCounts & { urls(): Promise<string[]> } {
  // SQS is asked once for each: the answer changes only with the stack.
  const known = new Map<string, string>();
  const deadLetterUrlOf = async ({ url: queueUrl }: NamedQueue) => {
    const url = known.get(queueUrl) ?? (await readDeadLetterUrl(client, queueUrl));
    known.set(queueUrl, url);
    return url;
  };
  const lettersOf = async (queue: NamedQueue) => deadLettersIn(client, queue, await deadLetterUrlOf(queue));
  return {
    count: queues.length,
    urls: () => Promise.all(queues.map(deadLetterUrlOf)),
    list: async () => (await Promise.all(queues.map(lettersOf))).flat(),
    listWaiting: async () => {
      // Tickets are left out, as they are not messages of a partner.
      const counted = queues.filter(({ topic }) => topic !== 'Wake');
      const counts = await Promise.all(
        counted.map(async ({ topic, url }) => ({ topic, messages: await countOf(client, url) })),
      );
      return counts.filter(({ messages }) => messages > 0);
    },
  };
}

const redrivePolicySchema = z.object({ deadLetterTargetArn: z.string() });

async function readDeadLetterUrl(client: SQSClient, QueueUrl: string): Promise<string> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] }),
  );
  const { deadLetterTargetArn } = redrivePolicySchema.parse(JSON.parse(Attributes.RedrivePolicy ?? '{}'));
  // The URLs of an account's queues differ only in their last part.
  return new URL(deadLetterTargetArn.split(':').at(-1) ?? '', QueueUrl).href;
}

async function countOf(client: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTS] }),
  );
  return sumOf(Attributes);
}

/** The counts include messages that a reader hides for seconds, and delayed messages of commands that wait. */
const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

function sumOf(attributes: Partial<Record<string, string>>): number {
  return COUNTS.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
}

async function deadLettersIn(
  client: SQSClient,
  { topic, url }: NamedQueue,
  QueueUrl: string,
): Promise<DeadLetters[]> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn', ...COUNTS] }),
  );
  const messages = sumOf(Attributes);
  if (messages === 0) return [];
  const arn = Attributes.QueueArn ?? '';
  const oldestSentAt = await oldestSent(client, QueueUrl);
  const queueArn = arn.replace(/[^:]*$/, url.split('/').at(-1) ?? '');
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
