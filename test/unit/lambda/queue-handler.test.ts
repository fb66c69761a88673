import { type ChangeMessageVisibilityBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pauseSecondsAfter } from '../../../shared/aws/redelivery.ts';
import { addLogKeys, logKeys } from '../../../shared/correlation/log-keys.ts';
import { logger } from '../../../shared/lambda/observability.ts';
import { queueBatchHandler, queueHandler } from '../../../shared/lambda/queue-handler.ts';

const QUEUE_URL = 'http://127.0.0.1:9/000000000000/queue';
const changed: ChangeMessageVisibilityBatchCommandInput[] = [];
let failsToChange = false;

beforeEach(() => {
  vi.stubEnv('SOURCE_QUEUE_URL', QUEUE_URL);
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation(async ({ input }) => {
    if (failsToChange) throw new Error('no SQS');
    changed.push(input as ChangeMessageVisibilityBatchCommandInput);
    return {};
  });
});

afterEach(() => {
  changed.length = 0;
  failsToChange = false;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const context = { functionName: 'test', awsRequestId: 'request-1' } as unknown as Context;

function eventOf(...bodies: string[]): SQSEvent {
  const Records = bodies.map((body) => ({
    messageId: `id of ${body}`,
    receiptHandle: `handle of ${body}`,
    body,
    attributes: { ApproximateReceiveCount: body.length },
  }));
  return { Records } as unknown as SQSEvent;
}

test.each([
  { limit: 1, most: 1 },
  { limit: 2, most: 2 },
  { limit: 9, most: 3 },
])(
  'with a limit of $limit, $most of three messages are worked on at the same time',
  async ({ limit, most }) => {
    let now = 0;
    let atMost = 0;
    const done: string[] = [];
    const handler = queueHandler(
      async ({ body }) => {
        atMost = Math.max(atMost, ++now);
        await Promise.resolve();
        now -= 1;
        done.push(body);
      },
      { limit },
    );
    expect(await handler(eventOf('a', 'b', 'c'), context)).toEqual({ batchItemFailures: [] });
    expect(done).toEqual(['a', 'b', 'c']);
    expect(atMost).toBe(most);
  },
);

test('only messages that fail are redelivered, each with a line that has its keys', async () => {
  const lines: object[] = [];
  const write = vi.spyOn(logger, 'error').mockImplementation(() => void lines.push(logKeys()));
  const handler = queueHandler(({ body }) => {
    if (body === 'a') throw new Error('before it waits');
    return (async () => {
      addLogKeys({ storeClientId: `store of ${body}` });
      await Promise.resolve();
      if (body === 'c') throw new Error('after it waited');
    })();
  });
  const { batchItemFailures } = await handler(eventOf('a', 'b', 'c', 'd'), context);
  write.mockRestore();
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'id of a' }, { itemIdentifier: 'id of c' }]);
  expect(lines).toEqual([{ messageId: 'id of a' }, { messageId: 'id of c', storeClientId: 'store of c' }]);
});

test('failed messages are visible again after seconds that grow with their receives', async () => {
  vi.spyOn(logger, 'error').mockImplementation(() => {});
  const handler = queueHandler(async ({ body }) => {
    if (body.startsWith('x')) throw new Error('the table throttles');
  });
  await handler(eventOf('x', 'done', 'xxx'), context);
  expect(changed).toEqual([
    {
      QueueUrl: QUEUE_URL,
      Entries: [
        { Id: '0', ReceiptHandle: 'handle of x', VisibilityTimeout: 2 },
        { Id: '1', ReceiptHandle: 'handle of xxx', VisibilityTimeout: 8 },
      ],
    },
  ]);
  expect(Array.from({ length: 12 }, (_, index) => pauseSecondsAfter(index + 1))).toEqual([
    2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300,
  ]);
});

test('all messages of an invocation that throws are visible again soon, ten to a call', async () => {
  const handler = queueBatchHandler(async () => {
    throw new Error('the table of stores throttles');
  });
  const bodies = Array.from({ length: 23 }, () => 'x');
  await expect(handler(eventOf(...bodies), context)).rejects.toThrow('the table of stores throttles');
  expect(changed.map(({ Entries = [] }) => Entries.length)).toEqual([10, 10, 3]);
});

test('an invocation without a failed message makes no call', async () => {
  await queueHandler(async () => {})(eventOf('a', 'b'), context);
  expect(changed).toEqual([]);
});

test('messages whose visibility can not be changed are redelivered all the same', async () => {
  failsToChange = true;
  const warn = vi.spyOn(logger, 'warn').mockImplementation(() => {});
  const handler = queueBatchHandler(async () => ({ failedMessageIds: ['id of x'] }));
  expect(await handler(eventOf('x'), context)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'id of x' }],
  });
  expect(warn).toHaveBeenCalledOnce();
});
