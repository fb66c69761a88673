import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { AwsError } from '../../gateway/messages.ts';
import { arn } from '../../template/account.ts';
import type { Backend } from '../backend.ts';
import { createQueueCalls, type ReceivedMessage } from './queue-calls.ts';

const moveInput = z.strictObject({
  SourceArn: z.string(),
  DestinationArn: z.string().optional(),
  MaxNumberOfMessagesPerSecond: z.int().min(1).max(500).optional(),
});

const listInput = z.strictObject({
  SourceArn: z.string(),
  MaxResults: z.int().min(1).max(10).default(1),
});

/** SQS lists at most this many tasks of a queue. */
const MAX_LISTED = 10;
/** SQS hands out at most this many messages at a time. */
const MAX_MESSAGES = 10;

/** Names of the two queues of a move. */
export interface QueuesOfMove {
  readonly source: string;
  readonly destination: string;
  /** Receives after which a queue gives up a message. Present if the destination of a message is the queue that it came from. */
  readonly maxReceiveCount?: number | undefined;
}

/** A task as `ListMessageMoveTasks` shows it. */
interface Task {
  readonly SourceArn: string;
  readonly DestinationArn?: string | undefined;
  readonly MaxNumberOfMessagesPerSecond?: number | undefined;
  readonly StartedTimestamp: number;
  ApproximateNumberOfMessagesToMove: number;
  ApproximateNumberOfMessagesMoved: number;
  Status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  /** Present while the task runs. */
  TaskHandle?: string;
  FailureReason?: string;
}

/** Parts of dead-letter queues that fauxqs lacks: which queues use them, and moves of messages out of them. */
export interface MessageMoves {
  /**
   * The queues of a move, so that their permissions can be checked.
   *
   * @throws AwsError for input that SQS refuses, a missing queue, or a queue that is not a dead-letter queue
   */
  queuesOf(input: unknown): Promise<QueuesOfMove>;
  /** Begins to move the messages that are in the source now. Throws an AwsError while another task moves messages out of it. */
  start(input: unknown, queues: QueuesOfMove): Promise<{ TaskHandle: string }>;
  /** Names of the queues whose dead letters go to this one. */
  sourcesOf(name: string): Promise<string[]>;
  /** The newest tasks of a source, the newest first. */
  list(input: unknown): { Results: object[] };
}

interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number | string;
}

type RedrivePolicies = ReadonlyMap<string, RedrivePolicy | undefined>;

/** SQS returns a message by itself only to a queue that it was received from. */
class UnknownSource extends Error {}

export function createMessageMoves(backend: Backend): MessageMoves {
  const tasks = new Map<string, Task[]>();
  const { call, attributeOfAll } = createQueueCalls(backend);

  /** The redrive policy of each queue, by ARN; `undefined` if it has none. */
  async function redrivePolicies(): Promise<RedrivePolicies> {
    const all = await attributeOfAll('RedrivePolicy');
    return new Map(
      [...all].map(([name, policy]) => [
        arn('sqs', name),
        policy ? (JSON.parse(policy) as RedrivePolicy) : undefined,
      ]),
    );
  }

  /** @returns whether there was a message to move. */
  async function moveSome(
    task: Task,
    { source, destination, maxReceiveCount = 0 }: QueuesOfMove,
  ): Promise<boolean> {
    const left = task.ApproximateNumberOfMessagesToMove - task.ApproximateNumberOfMessagesMoved;
    const { MaxNumberOfMessagesPerSecond: perSecond = MAX_MESSAGES } = task;
    const { Messages = [] } = await call<{ Messages?: ReceivedMessage[] }>('ReceiveMessage', source, {
      MaxNumberOfMessages: Math.max(1, Math.min(left, perSecond, MAX_MESSAGES)),
      WaitTimeSeconds: 0,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    for (const { ReceiptHandle, Body, Attributes = {}, MessageAttributes } of Messages) {
      const { MessageGroupId, MessageDeduplicationId } = Attributes;
      // The message was not received often enough for its queue to move it here: it came in another way.
      if (Number(Attributes.ApproximateReceiveCount) <= maxReceiveCount)
        throw new UnknownSource('CouldNotDetermineMessageSource');
      await call('SendMessage', destination, {
        MessageBody: Body,
        MessageAttributes,
        MessageGroupId,
        MessageDeduplicationId,
      });
      await call('DeleteMessage', source, { ReceiptHandle });
      task.ApproximateNumberOfMessagesMoved += 1;
    }
    if (task.MaxNumberOfMessagesPerSecond !== undefined)
      await pause((1000 * Messages.length) / perSecond, undefined, { ref: false });
    return Messages.length > 0;
  }

  async function run(task: Task, queues: QueuesOfMove): Promise<void> {
    try {
      while (task.ApproximateNumberOfMessagesMoved < task.ApproximateNumberOfMessagesToMove) {
        if (!(await moveSome(task, queues))) break;
      }
      task.Status = 'COMPLETED';
    } catch (error) {
      task.Status = 'FAILED';
      task.FailureReason = error instanceof UnknownSource ? error.message : String(error);
    }
    delete task.TaskHandle;
  }

  return {
    async queuesOf(input) {
      const { SourceArn, DestinationArn } = read(moveInput, input);
      const policies = await redrivePolicies();
      if (!policies.has(SourceArn)) throw notThere('SourceArn');
      const sources = sourcesIn(policies, SourceArn);
      const [onlySource] = sources;
      if (onlySource === undefined) throw invalid('Source queue must be configured as a Dead Letter Queue.');
      if (DestinationArn !== undefined && !policies.has(DestinationArn)) throw notThere('DestinationArn');
      if (DestinationArn === SourceArn)
        throw invalid('Source queue arn and destination queue arn cannot be the same.');
      // fauxqs does not keep which queue a message came from.
      if (DestinationArn === undefined && sources.length > 1)
        throw new AwsError(
          'UnsupportedOperation',
          'The local run needs a DestinationArn where several queues share a dead-letter queue.',
        );
      if (DestinationArn !== undefined)
        return { source: nameOf(SourceArn), destination: nameOf(DestinationArn) };
      const { maxReceiveCount = 0 } = policies.get(onlySource) ?? {};
      return {
        source: nameOf(SourceArn),
        destination: nameOf(onlySource),
        maxReceiveCount: Number(maxReceiveCount),
      };
    },

    async start(input, queues) {
      const given = read(moveInput, input);
      const known = tasks.get(given.SourceArn) ?? [];
      if (known.some(({ Status }) => Status === 'RUNNING'))
        throw new AwsError(
          'UnsupportedOperation',
          'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
        );
      const task: Task = {
        ...given,
        TaskHandle: handleOf(given.SourceArn),
        StartedTimestamp: Date.now(),
        Status: 'RUNNING',
        ApproximateNumberOfMessagesMoved: 0,
        ApproximateNumberOfMessagesToMove: 0,
      };
      tasks.set(given.SourceArn, [task, ...known].slice(0, MAX_LISTED));
      const answer = { TaskHandle: task.TaskHandle ?? '' };
      const { Attributes } = await call<{ Attributes: { ApproximateNumberOfMessages: string } }>(
        'GetQueueAttributes',
        queues.source,
        { AttributeNames: ['ApproximateNumberOfMessages'] },
      );
      task.ApproximateNumberOfMessagesToMove = Number(Attributes.ApproximateNumberOfMessages);
      void run(task, queues);
      return answer;
    },

    sourcesOf: async (name) => sourcesIn(await redrivePolicies(), arn('sqs', name)).map(nameOf),

    list(input) {
      const { SourceArn, MaxResults } = read(listInput, input);
      return { Results: (tasks.get(SourceArn) ?? []).slice(0, MaxResults) };
    },
  };
}

function sourcesIn(policies: RedrivePolicies, deadLettersArn: string): string[] {
  return [...policies]
    .filter(([, policy]) => policy?.deadLetterTargetArn === deadLettersArn)
    .map(([source]) => source);
}

/** The handle as SQS writes it, in base64. */
function handleOf(sourceArn: string): string {
  return Buffer.from(JSON.stringify({ taskId: randomUUID(), sourceArn })).toString('base64');
}

function nameOf(queueArn: string): string {
  return queueArn.split(':').at(-1) ?? queueArn;
}

function read<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`${issue?.path.join('.')}: ${issue?.message}`);
}

function invalid(message: string): AwsError {
  return new AwsError('InvalidParameterValue', message);
}

function notThere(parameter: string): AwsError {
  const message = `The resource that you specified for the ${parameter} parameter doesn't exist.`;
  return new AwsError('ResourceNotFoundException', message, 404);
}
