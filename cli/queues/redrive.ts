import { ListMessageMoveTasksCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import type { Context } from '../context.ts';
import { poll } from '../wait.ts';
import type { DeadLetterQueue } from './dead-letter-queues.ts';

/**
 * Moves the messages of a dead-letter queue back to its queue. SQS knows by itself where a message came from only if it was in that
 * queue: an event that the bus could not deliver never was.
 *
 * @param withinMs milliseconds to wait for the end; the move itself goes on in SQS
 * @throws CliError if it takes longer
 */
export async function redrive(
  { aws }: Pick<Context, 'aws'>,
  { arn: SourceArn, sourceArn: DestinationArn, name }: DeadLetterQueue,
  withinMs: number,
): Promise<{ moved: number; status: string; reason: string | undefined }> {
  await aws.queues.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
  return poll(
    async () => {
      const { Results: [task] = [] } = await aws.queues.send(new ListMessageMoveTasksCommand({ SourceArn }));
      if (task === undefined || task.Status === 'RUNNING') return undefined;
      const {
        ApproximateNumberOfMessagesMoved: moved = 0,
        Status: status = '',
        FailureReason: reason,
      } = task;
      return { moved, status, reason };
    },
    {
      withinMs,
      what: `the end of the move out of ${name}`,
      hint: 'It goes on by itself: `dlq list` shows what is left.',
    },
  );
}
