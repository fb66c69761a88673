import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Context } from '../context.ts';
import { deadLetterQueues } from './dead-letter-queues.ts';

/** Commands that wait for a later try: approximately, as SQS counts. Or why they could not be counted. */
export type DeferredCommands = { readonly count: number } | { readonly unknown: string };

/** Counts the commands of products, orders and documents that wait for a later try. Says why if the caller may not read queues. */
export async function deferredCommands(context: Pick<Context, 'aws' | 'target'>): Promise<DeferredCommands> {
  try {
    const queues = await deadLetterQueues(context, (topic) => topic.endsWith('Commands'));
    const counts = await Promise.all(
      queues.map(({ url, sourceName }) => delayedIn(context, url.replace(/[^/]*$/, sourceName))),
    );
    return { count: counts.reduce((sum, count) => sum + count, 0) };
  } catch (error) {
    return { unknown: error instanceof Error ? error.name : String(error) };
  }
}

async function delayedIn({ aws }: Pick<Context, 'aws'>, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await aws.queues.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessagesDelayed'] }),
  );
  return Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0);
}
