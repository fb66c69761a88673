import { createHash } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { z } from 'zod';
import { parseJson } from '../collections/parse-json.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { MAX_MESSAGE_BYTES, type QueueSender } from './queue-sender.ts';

/** The message in place of one that a queue can't hold: it names the object that holds the body. */
const referenceSchema = z.strictObject({
  bodyObject: z.templateLiteral(['messages/', z.hash('sha256'), '.json']),
});

/**
 * Has bodies beyond SQS's limit of a message travel through S3, as `messages/{sha256}.json` of `bucket`, which must
 * keep them for longer than the queue does. All others go as they are.
 */
export function createLargeMessageSender(sender: QueueSender, client: S3Client, bucket: string): QueueSender {
  const referenceTo = async (body: string) => {
    const key = `messages/${digestOf(body)}.json`;
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: 'application/json' }),
    );
    return JSON.stringify({ bodyObject: key });
  };
  return {
    send: async (bodies, options) => {
      const messages: string[] = [];
      for (const body of bodies) {
        messages.push(Buffer.byteLength(body) > MAX_MESSAGE_BYTES ? await referenceTo(body) : body);
      }
      await sender.send(messages, options);
    },
  };
}

export interface LargeMessages {
  /**
   * The body that a message stands for: its own, or that of the object that it names.
   *
   * @throws ConnectorError `MESSAGE_BODY_DAMAGED` when the object does not hold what was put there
   */
  open(message: string): Promise<string>;
}

/** The reading side of {@link createLargeMessageSender}. */
export function createLargeMessages(client: S3Client, bucket: string): LargeMessages {
  return {
    open: async (message) => {
      const key = referenceIn(message);
      if (key === undefined) return message;
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      const body = (await Body?.transformToString()) ?? '';
      if (key === `messages/${digestOf(body)}.json`) return body;
      throw new ConnectorError(`${key} does not hold the message that was put there`, {
        code: 'MESSAGE_BODY_DAMAGED',
      });
    },
  };
}

function referenceIn(message: string): string | undefined {
  if (!message.startsWith('{"bodyObject":')) return undefined;
  return referenceSchema.safeParse(parseJson(message)).data?.bodyObject;
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
