import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ReceiveMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileRowQueue } from '../../../shared/aws/event-queues.ts';
import { createQueueSender } from '../../../shared/aws/queue-sender.ts';
import { writeIncomingEvent } from '../../../shared/events/incoming.ts';
import { allow, arnOf, ref, type StartedStack, startStack } from '../local/fixture.ts';

const FLOOD = 300;
/** From so many in flight on, SQS hands out those of other stores first. */
const NOISY = 30;

const names = ['FilesAndCommands', 'Ungrouped', 'OfBus', 'OfBusUngrouped', 'DeadLetters'] as const;
const source = 'erp';
let stack: StartedStack;

const ruleTo = (queue: string, target: object = {}): object => ({
  Type: 'AWS::Events::Rule',
  Properties: {
    EventBusName: ref('Bus'),
    EventPattern: { source: [source] },
    Targets: [{ Id: 't', Arn: arnOf(queue), ...target }],
  },
});

beforeAll(async () => {
  const letIn = { ...allow('sqs:SendMessage', '*'), Principal: { Service: 'events.amazonaws.com' } };
  stack = await startStack({
    resources: {
      ...Object.fromEntries(names.map((name) => [name, { Type: 'AWS::SQS::Queue' }])),
      Policy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: {
          Queues: [ref('OfBus'), ref('OfBusUngrouped'), ref('DeadLetters')],
          PolicyDocument: { Statement: letIn },
        },
      },
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'flooded' } },
      // As the stack's own rules have it: test/infra/events.test.ts.
      Grouped: ruleTo('OfBus', {
        SqsParameters: { MessageGroupId: '$.detail.storeClientId' },
        DeadLetterConfig: { Arn: arnOf('DeadLetters') },
      }),
      Plain: ruleTo('OfBusUngrouped'),
    },
    outputs: Object.fromEntries(names.map((name) => [name, ref(name)])),
  });
});

afterAll(() => stack?.stop());

function decision(storeClientId: string, n: number) {
  const detail = { storeClientId, items: [{ orderId: `order-${n}`, decision: 'accept' }] };
  return {
    id: `${storeClientId}-${n}`,
    time: Date.now(),
    detailType: 'order.decision.requested' as const,
    detail,
  };
}

/** The section of a file, as the catalog-importer sends it. */
function section(storeClientId: string, n: number) {
  const detail = { storeClientId, products: [{ sku: `A-${n}` }] };
  return { id: `file-${n}`, time: Date.now(), detailType: 'catalog.sync.requested' as const, detail };
}

/** How many messages of the flood are handed out before that of the quiet store, none being finished. */
async function handedOutBefore(queue: (typeof names)[number]): Promise<number> {
  const stores: string[] = [];
  while (!stores.includes('quiet') && stores.length <= FLOOD) {
    const { Messages = [] } = await stack.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: stack.run.outputs[queue],
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 600,
      }),
    );
    if (Messages.length === 0) break;
    stores.push(...Messages.map(({ Body = '' }) => JSON.parse(Body).detail.storeClientId));
  }
  return stores.indexOf('quiet');
}

test(`a command of a store waits for ${NOISY} of the ${FLOOD} sections of another store's file that came before it`, async () => {
  const sender = createQueueSender(stack.sqs, stack.run.outputs.FilesAndCommands ?? '');
  const files = createFileRowQueue({ productCommands: sender, changes: sender });
  await files.send(Array.from({ length: FLOOD }, (_, n) => section('flooding', n)));
  await sender.send([writeIncomingEvent(decision('quiet', 1))]);
  expect(await handedOutBefore('FilesAndCommands')).toBe(NOISY);
});

test('without message groups it waits for all of them', async () => {
  const bodies = [
    ...Array.from({ length: FLOOD }, (_, n) => section('flooding', n)),
    decision('quiet', 1),
  ].map((event) => writeIncomingEvent(event as never));
  for (let first = 0; first < bodies.length; first += 10) {
    const Entries = bodies
      .slice(first, first + 10)
      .map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    await stack.sqs.send(new SendMessageBatchCommand({ QueueUrl: stack.run.outputs.Ungrouped, Entries }));
  }
  expect(await handedOutBefore('Ungrouped')).toBe(FLOOD);
});

async function put(...events: readonly { readonly detailType: string; readonly detail: object }[]) {
  for (let first = 0; first < events.length; first += 10) {
    const Entries = events.slice(first, first + 10).map(({ detailType, detail }) => ({
      EventBusName: 'flooded',
      Source: source,
      DetailType: detailType,
      Detail: JSON.stringify(detail),
    }));
    await stack.eventbridge.send(new PutEventsCommand({ Entries }));
  }
  await stack.run.idle();
}

test(`an event of a store waits for ${NOISY} of the ${FLOOD} events of another store; for all where the bus knows no store`, async () => {
  await put(...Array.from({ length: FLOOD }, (_, n) => decision('flooding', n)), decision('quiet', 1));
  expect(await handedOutBefore('OfBus')).toBe(NOISY);
  expect(await handedOutBefore('OfBusUngrouped')).toBe(FLOOD);
});

test.each([
  ['has none', {}],
  ['is longer than a message group may be', { storeClientId: 'x'.repeat(129) }],
  ['has characters that a message group may not have', { storeClientId: 'Laden Ä' }],
])('an event whose store %s goes to the dead letters of a rule with a path', async (_, detail) => {
  await put({ detailType: 'order.decision.requested', detail });
  const { Messages } = await stack.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: stack.run.outputs.DeadLetters }),
  );
  expect(JSON.parse(Messages?.[0]?.Body ?? '{}').detail).toEqual(detail);
});
