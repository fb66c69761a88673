import { hash } from 'node:crypto';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import type { RequestArchive, SummaryArchive } from '../batches/ports.ts';
import { parseJson, toMessageText } from '../collections/parse-json.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { ARCHIVED } from '../settings/stack-rules.ts';
import { MAX_MESSAGE_BYTES, type QueueSender } from './queue-sender.ts';

/** Rows of bulk requests in the archive bucket, under the keys of `requestKeyOf`. */
export function createRequestArchive(bucket: string, s3: S3Client): RequestArchive {
  return {
    put: (requestKey, rows) => putJson(s3, bucket, requestKey, JSON.stringify(rows)),

    get: async (requestKey) => {
      try {
        return z.array(z.unknown()).parse(JSON.parse(await readText(s3, bucket, requestKey)));
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
  };
}

/** Webhook bodies in the archive bucket, under `webhooks/{yyyy-mm-dd}/{sha256}.json`. */
export function createSummaryArchive(bucket: string, s3: S3Client): SummaryArchive {
  return {
    put: async (rawBody, receivedAt) => {
      const key = `${ARCHIVED.webhooks}${receivedAt.slice(0, 10)}/${hash('sha256', rawBody)}.json`;
      await putJson(s3, bucket, key, rawBody);
      return key;
    },

    get: (archiveKey) => readObject(s3, bucket, archiveKey),
  };
}

/** The message that replaces a too large one in a queue. It names the object with the body. */
const referenceSchema = z.strictObject({
  bodyObject: z.templateLiteral([ARCHIVED.messages, z.hash('sha256'), '.json']),
});

/**
 * Sends bodies above the size limit of SQS through S3, as `messages/{sha256}.json` in `bucket`. The bucket must keep them longer than the
 * queue keeps messages.
 */
export function createLargeMessageSender(sender: QueueSender, bucket: string, s3: S3Client): QueueSender {
  const referenceTo = async (body: string) => {
    const bodyObject = messageKeyOf(body);
    await putJson(s3, bucket, bodyObject, body);
    return JSON.stringify({ bodyObject });
  };
  return {
    send: async (bodies, options) => {
      const messages: string[] = [];
      for (const body of bodies.map(toMessageText)) {
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
export function createLargeMessages(bucket: string, s3: S3Client): LargeMessages {
  return {
    open: async (message) => {
      const key = referenceIn(message);
      if (key === undefined) return message;
      const body = await readText(s3, bucket, key);
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
  return `${ARCHIVED.messages}${hash('sha256', body)}.json`;
}

async function readText(s3: S3Client, bucket: string, key: string): Promise<string> {
  return Buffer.from(await readObject(s3, bucket, key)).toString();
}

async function readObject(s3: S3Client, Bucket: string, Key: string): Promise<Uint8Array> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return (await Body?.transformToByteArray()) ?? new Uint8Array();
}

/** Puts a JSON text with its digest. S3 refuses the body if the digest does not match. */
async function putJson(s3: S3Client, Bucket: string, Key: string, body: string | Uint8Array): Promise<void> {
  const ChecksumSHA256 = hash('sha256', body, 'base64');
  const ContentType = 'application/json';
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: body, ContentType, ChecksumSHA256 }));
}
