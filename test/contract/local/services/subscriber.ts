import {
  PutEventsCommand,
  PutRuleCommand,
  type PutRuleCommandInput,
  type PutRuleCommandOutput,
  PutTargetsCommand,
  type PutTargetsCommandOutput,
  type Target,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import {
  allow,
  arnOf,
  callerCode,
  functionRole,
  type HandMadeStack,
  lambdaFunction,
  ref,
  type StartedStack,
} from '../fixture.ts';

/** The bus of the stack. */
export const EventBusName = 'shop';

export function ruleArn(name: string): string {
  return `arn:aws:events:us-east-1:000000000000:rule/${EventBusName}/${name}`;
}

export function queueArn(name: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${name}`;
}

/** A bus, a schedule, and a function that permits a rule `to-function`, which the stack does not have. */
export const shop: HandMadeStack = {
  resources: {
    Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: EventBusName } },
    Role: functionRole(allow('events:DescribeRule', ruleArn('described'))),
    Caller: lambdaFunction('caller', 'Role'),
    Echo: lambdaFunction('echo', 'Role'),
    MayInvoke: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: arnOf('Echo'),
        Principal: 'events.amazonaws.com',
        SourceArn: ruleArn('to-function'),
      },
    },
    EveryMinute: { Type: 'AWS::Events::Rule', Properties: { ScheduleExpression: 'rate(1 minute)' } },
  },
  outputs: { Echo: arnOf('Echo'), EveryMinute: ref('EveryMinute') },
  functions: {
    caller: callerCode,
    echo: 'export async function handler(event) { console.log(JSON.stringify(event)); }',
  },
};

/** A policy that allows one rule, as in AWS's guide for EventBridge. */
export function letIn(rule: string, queue: string): string {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn(queue),
    Condition: { ArnEquals: { 'aws:SourceArn': ruleArn(rule) } },
  };
  return JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
}

/** A subscriber of the bus with its own queues, which shows what arrives. */
export interface Subscriber {
  /** Returns the queue's URL. */
  createQueue(name: string, policy?: string): Promise<string | undefined>;
  /** Puts a rule that matches every event, unless `rule` says otherwise. */
  putRule(name: string, rule?: Partial<PutRuleCommandInput>): Promise<PutRuleCommandOutput>;
  putTargets(rule: string, ...targets: Target[]): Promise<PutTargetsCommandOutput>;
  /** Puts an event for each number, and waits until all are delivered. */
  put(...numbers: number[]): Promise<void>;
  /** The messages of a queue. */
  bodies(queueUrl: string | undefined): Promise<unknown[]>;
}

export function createSubscriber({ run, eventbridge, sqs }: StartedStack): Subscriber {
  return {
    async createQueue(QueueName, Policy) {
      const Attributes = Policy === undefined ? {} : { Policy };
      return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl;
    },
    putRule: (Name, rule = {}) =>
      eventbridge.send(
        new PutRuleCommand({ Name, EventBusName, EventPattern: '{"source":["erp"]}', ...rule }),
      ),
    putTargets: (Rule, ...Targets) =>
      eventbridge.send(new PutTargetsCommand({ Rule, EventBusName, Targets })),
    async put(...numbers) {
      const entry = { EventBusName, Source: 'erp', DetailType: 'counted' };
      const Entries = numbers.map((n) => ({ ...entry, Detail: JSON.stringify({ n }) }));
      await eventbridge.send(new PutEventsCommand({ Entries }));
      await run.idle();
    },
    async bodies(QueueUrl) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
      );
      return Messages.map(({ Body }) => JSON.parse(Body ?? ''));
    },
  };
}
