import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createQueueSender } from '../../../shared/aws/queue-sender.ts';

interface Batch {
  readonly input: { readonly Entries: readonly { readonly DelaySeconds?: number }[] };
}

/** The delays that SQS is asked for, in seconds. */
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
  ['of a time that is over', -5_000, 0],
  ['of whole seconds', 3_000, 3],
  ['of a part of a second, which is rounded up', 1_001, 2],
  ['as long as SQS takes', 900_000, 900],
  ['longer than SQS takes', 86_400_000, 900],
])('a delay %s', async (_, delayMs, seconds) => {
  expect(await delaysOf(delayMs === undefined ? undefined : { delayMs })).toEqual([seconds, seconds]);
});
