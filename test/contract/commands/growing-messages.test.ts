import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLargeMessageSender, createLargeMessages } from '../../../shared/aws/archive-bucket.ts';
import {
  createCommandQueue,
  createQueueSender,
  MAX_MESSAGE_BYTES,
  type QueueSender,
} from '../../../shared/aws/queue-sender.ts';
import { withIdentity } from '../../../shared/events/parse-incoming-event.ts';
import { ref, type StartedStack, startStack } from '../local/fixture.ts';

const at = Date.parse('2026-11-21T08:00:00.000Z');
const TIMES = { time: at, receivedAt: at };

let stack: StartedStack;
let queueUrl: string;
let sender: QueueSender;

beforeAll(async () => {
  stack = await startStack({
    resources: { Archive: { Type: 'AWS::S3::Bucket' }, Commands: { Type: 'AWS::SQS::Queue' } },
    outputs: { Bucket: ref('Archive'), QueueUrl: ref('Commands') },
  });
  queueUrl = stack.run.outputs.QueueUrl ?? '';
  sender = createLargeMessageSender(
    createQueueSender(stack.sqs, queueUrl),
    stack.run.outputs.Bucket ?? '',
    stack.s3,
  );
});

afterAll(async () => {
  await stack?.stop();
});

/** Receives this many messages, and opens them. */
async function receive(count: number): Promise<string[]> {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const { Messages = [] } = await stack.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
    );
    bodies.push(...Messages.map(({ Body = '' }) => Body));
  }
  return Promise.all(bodies.map(createLargeMessages(stack.run.outputs.Bucket ?? '', stack.s3).open));
}

/** An event of one store without an ID, filled up to this many bytes. */
function eventOf(storeClientId: string, bytes = 0): string {
  const event = {
    'detail-type': 'catalog.sync.requested',
    detail: { storeClientId, products: [{ sku: 'A' }] },
  };
  const filling = 'x'.repeat(Math.max(0, bytes - Buffer.byteLength(JSON.stringify(event)) - 13));
  return JSON.stringify({ ...event, filling });
}

const storesOf = (bodies: readonly string[]) => bodies.map((body) => JSON.parse(body).detail.storeClientId);

test('a command that becomes too large for its message does not stop the other commands from being sent', async () => {
  const bodies = Array.from({ length: 10 }, (_, index) =>
    eventOf(`s-${index}`, index === 0 ? MAX_MESSAGE_BYTES : 0),
  );
  expect(Buffer.byteLength(bodies[0] ?? '')).toBe(MAX_MESSAGE_BYTES);
  await sender.send(bodies.map((body, index) => withIdentity(body, { ...TIMES, id: `m-${index}` })));
  const received = await receive(10);
  expect(storesOf(received).toSorted()).toEqual(storesOf(bodies));
});

test('a command that becomes too large for its message when it is deferred is redelivered whole', async () => {
  const body = eventOf('s-1', MAX_MESSAGE_BYTES);
  await createCommandQueue(sender).sendLater(withIdentity(body, { ...TIMES, id: 'm-1' }), 0);
  const [again = ''] = await receive(1);
  expect(Buffer.byteLength(again)).toBeGreaterThan(MAX_MESSAGE_BYTES);
  expect(JSON.parse(again)).toMatchObject({ id: 'm-1', ...JSON.parse(body) });
});
