import { randomUUID } from 'node:crypto';
import {
  DeleteRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { incomingDetailTypes } from '../../shared/events/incoming.ts';
import { outgoingDetailSchemas } from '../../shared/events/outgoing.ts';
import type { Context } from '../context.ts';
import { outputOf } from '../target/target.ts';

const busEventSchema = z.object({
  id: z.string(),
  time: z.string(),
  source: z.string(),
  'detail-type': z.string(),
  detail: z.looseObject({}),
});
export type BusEvent = z.infer<typeof busEventSchema>;

/** A queue that takes events of the bus. Disposing removes it and its rule. */
export interface Subscription extends AsyncDisposable {
  /** The events since the last call; waits up to a second for one. */
  next(): Promise<BusEvent[]>;
}

const DETAIL_TYPES = [...incomingDetailTypes, ...Object.keys(outgoingDetailSchemas)];
const TARGET_ID = 'queue';
/** The maximum of one receive in SQS. */
const PER_CALL = 10;
/** What is not read is dropped after this time, also if the queue could not be removed. */
const RETENTION_SECONDS = '300';

/** Subscribes to the events in and out of the stack's bus by a rule and a queue of its own. */
export async function subscribe(context: Pick<Context, 'aws' | 'target'>): Promise<Subscription> {
  const made: Removal[] = [];
  const remove = () => removeAll(made);
  try {
    const QueueUrl = await addQueue(context, made);
    return { next: () => receive(context.aws, QueueUrl), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes one of the things that were made. */
type Removal = () => Promise<unknown>;

/** Adds a queue that takes the events; `made` gets how to remove each part. Returns the queue's URL. */
async function addQueue({ aws, target }: Pick<Context, 'aws' | 'target'>, made: Removal[]): Promise<string> {
  const name = `connector-listen-${randomUUID()}`;
  const EventBusName = outputOf(target, 'EventBusName');
  const { QueueUrl = '' } = await aws.queues.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { MessageRetentionPeriod: RETENTION_SECONDS } }),
  );
  made.push(() => aws.queues.send(new DeleteQueueCommand({ QueueUrl })));
  const EventPattern = JSON.stringify({ 'detail-type': DETAIL_TYPES });
  const { RuleArn } = await aws.events.send(new PutRuleCommand({ Name: name, EventBusName, EventPattern }));
  made.push(() => aws.events.send(new DeleteRuleCommand({ Name: name, EventBusName })));
  const { Attributes } = await aws.queues.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const Arn = Attributes?.QueueArn;
  const Policy = JSON.stringify(policyFor(Arn, RuleArn));
  await aws.queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await aws.events.send(
    new PutTargetsCommand({ Rule: name, EventBusName, Targets: [{ Id: TARGET_ID, Arn }] }),
  );
  made.push(() => aws.events.send(new RemoveTargetsCommand({ Rule: name, EventBusName, Ids: [TARGET_ID] })));
  return QueueUrl;
}

/** Removes what was made last first. Not an AsyncDisposableStack, which Node.js 20 does not have. */
async function removeAll(made: Removal[]): Promise<void> {
  const errors: unknown[] = [];
  for (const removal of made.splice(0).reverse())
    await removal().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function receive(aws: Context['aws'], QueueUrl: string): Promise<BusEvent[]> {
  const { Messages = [] } = await aws.queues.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: PER_CALL, WaitTimeSeconds: 1 }),
  );
  if (Messages.length === 0) return [];
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  await aws.queues.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages.map(({ Body = '' }) => busEventSchema.parse(JSON.parse(Body)));
}

/** Lets only this rule send to the queue. */
function policyFor(queueArn: string | undefined, ruleArn: string | undefined): object {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
  };
  return { Version: '2012-10-17', Statement: [statement] };
}
