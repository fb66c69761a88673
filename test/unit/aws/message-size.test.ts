import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createLargeMessageSender } from '../../../shared/aws/archive-bucket.ts';
import { createQueueSender, MAX_MESSAGE_BYTES } from '../../../shared/aws/queue-sender.ts';

/** A queue that keeps what is sent. */
function setUp() {
  const sent: string[] = [];
  const send = async ({ input }: { input: { Entries: readonly { MessageBody: string }[] } }) => {
    sent.push(...input.Entries.map(({ MessageBody }) => MessageBody));
    return {};
  };
  return { sent, sender: createQueueSender({ send } as unknown as SQSClient, 'queue') };
}

/** Three bytes each in UTF-8, and six in a message: SQS takes it only as an escape. */
const growing = (bytes: number) => JSON.stringify('\uFFFE'.repeat(bytes / 3));

test.each([
  ['is larger than SQS takes', JSON.stringify('x'.repeat(MAX_MESSAGE_BYTES))],
  ['becomes so by its escapes', growing(600_000)],
])('a message that %s is refused without a call', async (_, body) => {
  const { sent, sender } = setUp();
  await expect(sender.send(['{}', body])).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', retryable: false });
  expect(sent).toEqual([]);
});

test('a message that becomes too large by its escapes is sent by way of S3', async () => {
  const { sent, sender } = setUp();
  const s3 = { send: async () => ({}) } as unknown as S3Client;
  await createLargeMessageSender(sender, 'archive', s3).send([growing(600_000)]);
  expect(sent.map((message) => message.slice(0, 14))).toEqual(['{"bodyObject":']);
});
