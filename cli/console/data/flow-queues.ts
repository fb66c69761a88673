import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Context } from '../../context.ts';
import { deadLetterQueues } from '../../queues/dead-letter-queues.ts';

/** A queue of the stack with its dead-letter queue. Counts are approximate, as SQS counts. */
export interface FlowQueue {
  /** What its messages are about, such as `Changes`. */
  readonly topic: string;
  readonly name: string;
  readonly waiting: number;
  /** Received by a function, and not processed yet. */
  readonly inFlight: number;
  readonly delayed: number;
  readonly deadLetters: number;
}

type QueueContext = Pick<Context, 'aws' | 'target'>;

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Reads the counts of all queues of the stack. Which queues there are is read once. */
export function createFlowQueues(context: QueueContext): () => Promise<FlowQueue[]> {
  let known: ReturnType<typeof deadLetterQueues> | undefined;
  return async () => {
    known ??= deadLetterQueues(context);
    const queues = await known.catch((error) => {
      known = undefined;
      throw error;
    });
    return Promise.all(
      queues.map(async ({ topic, url, sourceName }) => {
        // Dead letters in flight are hidden for seconds by who looks at them.
        const [dead, source] = await Promise.all([
          countsOf(context, url),
          countsOf(context, url.replace(/[^/]*$/, sourceName)),
        ]);
        return { topic, name: sourceName, ...source, deadLetters: dead.waiting + dead.inFlight };
      }),
    );
  };
}

async function countsOf({ aws }: QueueContext, QueueUrl: string) {
  const { Attributes = {} } = await aws.queues.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTS] }),
  );
  const [waiting = 0, inFlight = 0, delayed = 0] = COUNTS.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, inFlight, delayed };
}
