import { expect, test } from 'vitest';
import { createSlots } from '../../../../local/aws/lambda/slots.ts';

test('slots make callers beyond their number wait for a release, in order', async () => {
  const slots = createSlots(2);
  const order: string[] = [];
  const [first] = await Promise.all([slots.take(), slots.take()]);
  const third = slots.take().then((release) => {
    order.push('third');
    return release;
  });
  const fourth = slots.take().then(() => order.push('fourth'));
  await Promise.resolve();
  expect(order).toEqual([]);
  first();
  const release = await third;
  expect(order).toEqual(['third']);
  release();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});
