import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createQueueSender } from '../../../shared/aws/queue-sender.ts';

interface Batch {
  readonly input: { readonly Entries: readonly { readonly DelaySeconds?: number }[] };
}

/** The delays in the calls to SQS, in seconds. */
async function delaysOf(options?: { delayMs?: number }): Promise<(number | undefined)[]> {
  const delays: (number | undefined)[] = [];
  const send = async ({ input }: Batch) => {
    delays.push(...input.Entries.map(({ DelaySeconds }) => DelaySeconds));
    return {};
  };
  await createQueueSender({ send } as unknown as SQSClient, 'queue').send(['a', 'b'], options);
  return delays;
}

test.each([
  ['none', undefined, 0],
  ['a past time', -5_000, 0],
  ['whole seconds', 3_000, 3],
  ['a fraction of a second, rounded up,', 1_001, 2],
  ['the longest time that SQS accepts', 900_000, 900],
  ['more than SQS accepts, shortened,', 86_400_000, 900],
])('a delay of %s is passed to SQS in whole seconds', async (_, delayMs, seconds) => {
  expect(await delaysOf(delayMs === undefined ? undefined : { delayMs })).toEqual([seconds, seconds]);
});
