import { expect, test } from 'vitest';
import { createSendBatcher, type Delivery } from '../../../../../local/aws/services/sqs/send-batcher.ts';

function recorder(refuse: (body: string) => boolean = () => false) {
  const batches: string[][] = [];
  const send = createSendBatcher(async (deliveries: readonly Delivery[]) => {
    batches.push(deliveries.map(({ body }) => body));
    return new Map(
      deliveries.flatMap(({ body }, position) => (refuse(body) ? [[position, `no ${body}`] as const] : [])),
    );
  });
  return { batches, send };
}

test('concurrent messages are sent in batches of ten, in order', async () => {
  const { batches, send } = recorder();
  const bodies = Array.from({ length: 23 }, (_, index) => String(index));
  await Promise.all(bodies.map((body) => send({ body })));
  expect(batches.map((batch) => batch.length)).toEqual([10, 10, 3]);
  expect(batches.flat()).toEqual(bodies);
});

test('a batch stays below 1 MB', async () => {
  const { batches, send } = recorder();
  const large = 'x'.repeat(600 * 1024);
  await Promise.all([send({ body: large }), send({ body: large }), send({ body: 'small' })]);
  expect(batches.map((batch) => batch.length)).toEqual([1, 2]);
});

test('a message that the queue refuses fails alone', async () => {
  const { send } = recorder((body) => body === 'bad');
  const outcomes = await Promise.allSettled([send({ body: 'good' }), send({ body: 'bad' })]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('a failed batch fails all of its messages, and the next one is sent', async () => {
  let calls = 0;
  const send = createSendBatcher(async () => {
    calls += 1;
    if (calls === 1) throw new Error('out of reach');
    return new Map();
  });
  await expect(send({ body: 'a' })).rejects.toThrow('out of reach');
  await expect(send({ body: 'b' })).resolves.toBeUndefined();
});
