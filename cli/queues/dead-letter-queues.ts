import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
} from '@aws-sdk/client-sqs';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';

export interface DeadLetterQueue {
  readonly name: string;
  /** What its messages are about, such as `Changes`: the name of its output. */
  readonly topic: string;
  readonly arn: string;
  readonly url: string;
  /** The queue whose messages could not be processed. */
  readonly sourceName: string;
  readonly sourceArn: string;
  /** Approximate, as SQS counts. */
  readonly messages: number;
  /** Those that a reader hides for seconds, such as a deletion that looked for others. Approximate too. */
  readonly hidden: number;
}

type QueueContext = Pick<Context, 'aws' | 'target'>;

const OUTPUT = /^(?<topic>.+)DeadLettersArn$/;

/** The dead-letter queues that the stack's outputs name, or those of some topics. */
export async function deadLetterQueues(
  { aws, target }: QueueContext,
  isWanted: (topic: string) => boolean = () => true,
): Promise<DeadLetterQueue[]> {
  const named = Object.entries(target.outputs).flatMap(([output, arn]) => {
    const topic = OUTPUT.exec(output)?.groups?.topic;
    return topic === undefined || !isWanted(topic) ? [] : [{ topic, arn }];
  });
  return Promise.all(named.map(({ topic, arn }) => readQueue({ aws }, topic, arn)));
}

async function readQueue(
  { aws }: Pick<Context, 'aws'>,
  topic: string,
  arn: string,
): Promise<DeadLetterQueue> {
  const name = arn.split(':').at(-1) ?? '';
  const { QueueUrl: url = '' } = await aws.queues.send(new GetQueueUrlCommand({ QueueName: name }));
  const [{ Attributes }, { queueUrls = [] }] = await Promise.all([
    aws.queues.send(
      new GetQueueAttributesCommand({
        QueueUrl: url,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    ),
    aws.queues.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: url })),
  ]);
  const sourceName = queueUrls[0]?.split('/').at(-1) ?? '';
  return {
    name,
    topic,
    arn,
    url,
    sourceName,
    sourceArn: arn.replace(/[^:]*$/, sourceName),
    messages: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
    hidden: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
}

/**
 * The queue that `given` names: by its name, by its topic, or by a part of them. Default: the only one with messages.
 *
 * @throws CliError if none or several fit
 */
export async function findQueue(context: QueueContext, given: string | undefined): Promise<DeadLetterQueue> {
  const queues = await deadLetterQueues(context);
  const fitting =
    given === undefined
      ? queues.filter(({ messages, hidden }) => messages + hidden > 0)
      : matching(queues, given);
  const [queue, ...others] = fitting;
  if (queue !== undefined && others.length === 0) return queue;
  const topics = (queue === undefined ? queues : fitting).map(({ topic }) => topic).join(', ');
  if (given === undefined && queue === undefined) throw usageError('no dead-letter queue has a message');
  throw usageError(
    queue === undefined ? `no dead-letter queue is named ${given}` : 'several dead-letter queues fit',
    `Name one of: ${topics}.`,
  );
}

function matching(queues: readonly DeadLetterQueue[], given: string): DeadLetterQueue[] {
  const word = given.toLowerCase();
  const exact = queues.filter(({ name, topic }) => name === given || topic.toLowerCase() === word);
  if (exact.length > 0) return exact;
  return queues.filter(({ name, topic }) => `${topic} ${name}`.toLowerCase().includes(word));
}
