import { createHash } from 'node:crypto';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { z } from 'zod';
import type { RequestArchive, SummaryArchive } from '../batches/ports.ts';
import { parseJson } from '../collections/parse-json.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { MAX_MESSAGE_BYTES, type QueueSender } from './queue-sender.ts';

/** Rows of bulk requests in the archive bucket, under the keys of `requestKeyOf`. */
export function createRequestArchive(client: S3Client, bucket: string): RequestArchive {
  return {
    put: (requestKey, rows) => putJson(client, bucket, requestKey, JSON.stringify(rows)),

    get: async (requestKey) => {
      try {
        return z.array(z.unknown()).parse(JSON.parse(await readText(client, bucket, requestKey)));
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
  };
}

/** Webhook bodies in the archive bucket, as `createSummaryWriter` puts them. */
export function createSummaryReader(client: S3Client, bucket: string): Pick<SummaryArchive, 'get'> {
  return {
    get: async (archiveKey) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: archiveKey }));
      if (Body === undefined) {
        throw new ConnectorError(`${archiveKey} has no body`, { code: 'ARCHIVE_EMPTY', retryable: true });
      }
      return Body.transformToByteArray();
    },
  };
}

/** The message that a queue holds instead of a too large one. It names the object with the body. */
const referenceSchema = z.strictObject({
  bodyObject: z.templateLiteral(['messages/', z.hash('sha256'), '.json']),
});

/**
 * Sends bodies above the size limit of SQS by way of S3, as `messages/{sha256}.json` in `bucket`, which must keep them for
 * longer than the queue.
 */
export function createLargeMessageSender(sender: QueueSender, client: S3Client, bucket: string): QueueSender {
  const referenceTo = async (body: string) => {
    const bodyObject = messageKeyOf(body);
    await putJson(client, bucket, bodyObject, body);
    return JSON.stringify({ bodyObject });
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
   * The body of a message: its own text, or the content of the object that it names.
   *
   * @throws ConnectorError `MESSAGE_BODY_DAMAGED` when the object's content does not match its key
   */
  open(message: string): Promise<string>;
}

/** Reads messages of {@link createLargeMessageSender}. */
export function createLargeMessages(client: S3Client, bucket: string): LargeMessages {
  return {
    open: async (message) => {
      const key = referenceIn(message);
      if (key === undefined) return message;
      const body = await readText(client, bucket, key);
      if (key === messageKeyOf(body)) return body;
      throw new ConnectorError(`${key} does not contain the message that was stored there`, {
        code: 'MESSAGE_BODY_DAMAGED',
      });
    },
  };
}

function referenceIn(message: string): string | undefined {
  if (!message.startsWith('{"bodyObject":')) return undefined;
  return referenceSchema.safeParse(parseJson(message)).data?.bodyObject;
}

function messageKeyOf(body: string): string {
  return `messages/${createHash('sha256').update(body).digest('hex')}.json`;
}

async function readText(client: S3Client, bucket: string, key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return (await Body?.transformToString()) ?? '';
}

async function putJson(client: S3Client, bucket: string, key: string, body: string) {
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: 'application/json' }),
  );
}
