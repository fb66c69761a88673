import { randomUUID } from 'node:crypto';
import {
  DeleteRuleCommand,
  EventBridgeClient,
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
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { LocalRun } from '../aws/index.ts';
import type { BusEvent } from '../aws/services/eventbridge/event.ts';

/** A partner's subscription to the stack's events. */
export interface EventTap {
  /** All events since the subscription, oldest first. */
  events(): Promise<BusEvent[]>;
  /** Removes rule and queue. */
  close(): Promise<void>;
}

const TARGET_ID = 'tap';

/** The maximum of one receive in SQS. */
const PER_CALL = 10;

/** Most receives per read. If a read finds more events than `PER_CALL` times this, the stack has a fault. */
const MAX_CALLS = 5_000;

/**
 * Subscribes to the stack's events as a partner does: with a rule on the bus that targets a queue.
 *
 * @param options.detailTypes detail types of the rule; default: all detail types of the connector
 */
export async function createEventTap(
  run: LocalRun,
  options: { detailTypes?: readonly string[] } = {},
): Promise<EventTap> {
  const config = { endpoint: run.endpoint, region: run.region, credentials: run.adminCredentials };
  const bus = new EventBridgeClient(config);
  const queues = new SQSClient(config);
  const name = `event-tap-${randomUUID()}`;
  const rule = { Rule: name, EventBusName: run.outputs.EventBusName };

  const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: name }));
  const { RuleArn } = await bus.send(
    new PutRuleCommand({
      Name: name,
      EventBusName: rule.EventBusName,
      EventPattern: JSON.stringify({
        source: ['marketplace.connector'],
        ...(options.detailTypes === undefined ? {} : { 'detail-type': options.detailTypes }),
      }),
    }),
  );
  const { Attributes } = await queues.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const queueArn = Attributes?.QueueArn;
  const Policy = JSON.stringify(queuePolicy(queueArn, RuleArn));
  await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await bus.send(new PutTargetsCommand({ ...rule, Targets: [{ Id: TARGET_ID, Arn: queueArn }] }));

  const seen: BusEvent[] = [];
  /** Receives without a long poll: the local SQS loses a message to a long poll that was aborted. */
  async function take(): Promise<number> {
    const { Messages = [] } = await queues.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: PER_CALL, WaitTimeSeconds: 0 }),
    );
    if (Messages.length === 0) return 0;
    seen.push(...Messages.map(({ Body = '' }) => JSON.parse(Body) as BusEvent));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await queues.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    return Messages.length;
  }

  return {
    async events() {
      for (let calls = 0; (await take()) > 0; calls += 1) {
        if (calls === MAX_CALLS) throw new Error(`more than ${MAX_CALLS * PER_CALL} events at once`);
      }
      return [...seen];
    },
    async close() {
      await bus.send(new RemoveTargetsCommand({ ...rule, Ids: [TARGET_ID] }));
      await bus.send(new DeleteRuleCommand({ Name: name, EventBusName: rule.EventBusName }));
      await queues.send(new DeleteQueueCommand({ QueueUrl }));
      bus.destroy();
      queues.destroy();
    },
  };
}

/** Allows only this rule to send. */
function queuePolicy(queueArn: string | undefined, ruleArn: string | undefined): object {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
  };
  return { Version: '2012-10-17', Statement: [statement] };
}
