import type { Context, SQSEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { addLogKeys, logKeys } from '../../../shared/correlation/log-keys.ts';
import { logger } from '../../../shared/lambda/observability.ts';
import { queueHandler } from '../../../shared/lambda/queue-handler.ts';

const context = { functionName: 'test', awsRequestId: 'request-1' } as unknown as Context;

function eventOf(...bodies: string[]): SQSEvent {
  const Records = bodies.map((body) => ({ messageId: `id of ${body}`, body, attributes: {} }));
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
