import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeadLetterMessages } from '../../../shared/aws/dead-letter-messages.ts';
import { createDeadLetterQueues } from '../../../shared/aws/dead-letter-queues.ts';
import { createEventPublisher } from '../../../shared/aws/event-bus.ts';
import {
  createQueueSender,
  createSummaryQueue,
  createTicketQueue,
} from '../../../shared/aws/queue-sender.ts';
import type { EventPublisher, OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { Ticket } from '../../../shared/lanes/model.ts';
import type { TicketQueue } from '../../../shared/lanes/ports.ts';
import { inMemoryEventPublisher } from '../../doubles/in-memory-event-publisher.ts';
import { inMemoryTicketQueue } from '../../doubles/in-memory-ticket-queue.ts';
import { arnOf, ref, type StartedStack, startStack } from '../local/fixture.ts';

/** A bus that sends all its events to a queue. */
const resources = {
  Work: {
    Type: 'AWS::SQS::Queue',
    Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 } },
  },
  Dead: { Type: 'AWS::SQS::Queue' },
  Seen: { Type: 'AWS::SQS::Queue' },
  SeenPolicy: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref('Seen')],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: 'sqs:SendMessage',
            Resource: arnOf('Seen'),
            Principal: { Service: 'events.amazonaws.com' },
          },
        ],
      },
    },
  },
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'contract' } },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: ref('Bus'),
      EventPattern: { source: ['marketplace.connector'] },
      Targets: [{ Id: 'seen', Arn: arnOf('Seen') }],
    },
  },
};

let started: StartedStack;

beforeAll(async () => {
  const outputs = {
    SeenUrl: ref('Seen'),
    BusName: ref('Bus'),
    WorkUrl: ref('Work'),
    DeadUrl: ref('Dead'),
    WorkArn: arnOf('Work'),
    DeadArn: arnOf('Dead'),
  };
  started = await startStack({ resources, outputs });
});
afterAll(() => started?.stop());

/** The messages of the queue, once there are `count`. */
async function receive(queueUrl: string | undefined, count: number): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (let polls = 0; bodies.length < count && polls < 50; polls += 1) {
    const { Messages = [] } = await started.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    bodies.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
  }
  return bodies;
}

interface TicketHarness {
  readonly queue: TicketQueue;
  received(count: number): Promise<unknown[]>;
}

/** The URL of a queue that no other test uses. */
async function createQueue(): Promise<string> {
  const { QueueUrl = '' } = await started.sqs.send(new CreateQueueCommand({ QueueName: randomUUID() }));
  return QueueUrl;
}

describe.each<[string, () => Promise<TicketHarness>]>([
  [
    'in memory',
    async () => {
      const accepted: Ticket[] = [];
      return {
        queue: inMemoryTicketQueue(({ ticket }) => accepted.push(ticket)),
        received: async () => accepted,
      };
    },
  ],
  [
    'on SQS',
    async () => {
      const url = await createQueue();
      return {
        queue: createTicketQueue(createQueueSender(started.sqs, url)),
        received: (count) => receive(url, count),
      };
    },
  ],
])('TicketQueue %s', (_, create) => {
  test('sends more tickets than fit one batch, each once', async () => {
    const { queue, received } = await create();
    const tickets = Array.from({ length: 23 }, (__, index) => ({ storeClientId: `store-${index + 10}` }));
    await queue.send(tickets);
    const bodies = (await received(23)) as Ticket[];
    expect(bodies.toSorted((a, b) => a.storeClientId.localeCompare(b.storeClientId))).toEqual(tickets);
  });

  test('sends every character, also those that SQS refuses', async () => {
    const { queue, received } = await create();
    const ticket = { storeClientId: 'a\u0000\u0008\u007F\u2028\uD800\uFFFD\uFFFE\uFFFF\u{10FFFF}' };
    await queue.send([ticket]);
    expect(await received(1)).toEqual([ticket]);
  });

  test('accepts an empty list of tickets', async () => {
    const { queue } = await create();
    await expect(queue.send([])).resolves.toBeUndefined();
  });

  test.each([86_400_000, 1_500, -5_000])(
    'accepts a delay of %i ms, which is more than the queue allows',
    async (delayMs) => {
      const { queue } = await create();
      await expect(queue.send([{ storeClientId: 'store-1' }], { delayMs })).resolves.toBeUndefined();
    },
  );
});

test('a received summary is sent with every character', async () => {
  const url = await createQueue();
  const summary = { body: '{"message":"ä\uFFFE\uFFFF"}', receivedAt: '2026-11-21T08:00:00.000Z' };
  await createSummaryQueue(createQueueSender(started.sqs, url)).send(summary);
  expect(await receive(url, 1)).toEqual([summary]);
});

test('dead letters are found by their IDs among many, and removed one by one', async () => {
  const url = await createQueue();
  const queue = url.split('/').at(-1) ?? '';
  const ids: string[] = [];
  for (let index = 0; index < 25; index += 1) {
    const sent = await started.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: `m-${index}` }));
    ids.push(sent.MessageId ?? '');
  }
  const letters = createDeadLetterMessages(started.sqs, async () => [`${url}-other`, url]);
  const wanted = [ids[0] ?? '', ids[24] ?? '', 'none'];
  const found = (await letters.find(queue, wanted)) ?? [];
  expect(found.map(({ body }) => body).sort()).toEqual(['m-0', 'm-24']);
  expect(found[0]?.sentAt).toBeGreaterThan(0);
  for (const message of found) await letters.remove(queue, message);
  const count = await started.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  const left = Object.values(count.Attributes ?? {}).reduce((sum, one) => sum + Number(one), 0);
  expect(left).toBe(23);
  expect(await letters.find('no-queue', wanted)).toBeUndefined();
});

interface BusHarness {
  readonly publisher: EventPublisher;
  /** Details of the published events. */
  published(count: number): Promise<unknown[]>;
}

describe.each<[string, () => BusHarness]>([
  [
    'in memory',
    () => {
      const published: OutgoingEvent[] = [];
      return {
        publisher: inMemoryEventPublisher(undefined, published),
        published: async () => published.map(({ detail }) => detail),
      };
    },
  ],
  [
    'on EventBridge',
    () => ({
      publisher: createEventPublisher(started.run.outputs.BusName ?? '', started.eventbridge),
      published: async (count) =>
        ((await receive(started.run.outputs.SeenUrl, count)) as { detail: unknown }[]).map(
          ({ detail }) => detail,
        ),
    }),
  ],
])('EventPublisher %s', (_, create) => {
  test('publishes more events than fit one call', async () => {
    const { publisher, published } = create();
    const events = Array.from(
      { length: 12 },
      (__, index): OutgoingEvent => ({
        detailType: 'store.connected',
        detail: { storeClientId: `store-${index + 10}` },
      }),
    );
    await publisher.publish(events);
    const details = (await published(12)) as { storeClientId: string }[];
    expect(details.map(({ storeClientId }) => storeClientId).toSorted()).toEqual(
      events.map(({ detail }) => detail.storeClientId),
    );
  });

  test('publishes events with more bytes than fit one call', async () => {
    const { publisher, published } = create();
    const events = Array.from(
      { length: 5 },
      (__, index): OutgoingEvent => ({
        detailType: 'store.suspended',
        detail: { storeClientId: `large-${index}`, reason: 'x'.repeat(300_000) },
      }),
    );
    await publisher.publish(events);
    const details = (await published(5)) as { storeClientId: string }[];
    expect(details.map(({ storeClientId }) => storeClientId).toSorted()).toEqual(
      events.map(({ detail }) => detail.storeClientId),
    );
  });

  test('refuses a detail that breaks its schema', async () => {
    const { publisher } = create();
    const broken = { detailType: 'store.connected', detail: {} } as unknown as OutgoingEvent;
    await expect(publisher.publish([broken])).rejects.toThrow('storeClientId');
  });

  test('accepts an empty list of events', async () => {
    const { publisher } = create();
    await expect(publisher.publish([])).resolves.toBeUndefined();
  });
});

test('the queues of dead letters count these, and the messages that wait, are delayed or are hidden in the queues they are of; not tickets', async () => {
  const { WorkUrl = '', DeadUrl = '', WorkArn = '', DeadArn = '' } = started.run.outputs;
  const send = (QueueUrl: string, facts = {}) =>
    started.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'body', ...facts }));
  const queues = createDeadLetterQueues(started.sqs, [{ topic: 'Changes', url: WorkUrl }]);
  expect([await queues.list(), await queues.listWaiting()]).toEqual([[], []]);
  await send(DeadUrl);
  await send(WorkUrl);
  await send(WorkUrl);
  await send(WorkUrl, { DelaySeconds: 900 });
  await started.sqs.send(new ReceiveMessageCommand({ QueueUrl: WorkUrl, MaxNumberOfMessages: 1 }));
  expect(await queues.listWaiting()).toEqual([{ topic: 'Changes', messages: 3 }]);
  expect(await queues.list()).toMatchObject([
    { topic: 'Changes', messages: 1, arn: DeadArn, queueArn: WorkArn },
  ]);
  // One that a reader hides for seconds is there all the same.
  await started.sqs.send(new ReceiveMessageCommand({ QueueUrl: DeadUrl, VisibilityTimeout: 30 }));
  expect(await queues.list()).toMatchObject([{ messages: 1 }]);
  const tickets = createDeadLetterQueues(started.sqs, [{ topic: 'Wake', url: WorkUrl }]);
  expect(await tickets.listWaiting()).toEqual([]);
});
