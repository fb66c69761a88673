import { hash } from 'node:crypto';
import { z } from 'zod';
import type { RequestArchive, SummaryArchive } from '../batches/ports.ts';
import { parseJson, toMessageText } from '../collections/parse-json.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { AwsError, createAwsSender, type SendAwsRequest } from './aws-request.ts';
import { MAX_MESSAGE_BYTES, type QueueSender } from './queue-sender.ts';

/** Rows of bulk requests in the archive bucket, under the keys of `requestKeyOf`. */
export function createRequestArchive(bucket: string, send = createAwsSender()): RequestArchive {
  return {
    put: (requestKey, rows) => putJson(send, bucket, requestKey, JSON.stringify(rows)),

    get: async (requestKey) => {
      try {
        return z.array(z.unknown()).parse(JSON.parse(await readText(send, bucket, requestKey)));
      } catch (error) {
        if (error instanceof AwsError && error.name === 'NoSuchKey') return undefined;
        throw error;
      }
    },
  };
}

/** Webhook bodies in the archive bucket, as `createSummaryWriter` puts them. */
export function createSummaryReader(bucket: string, send = createAwsSender()): Pick<SummaryArchive, 'get'> {
  return { get: (archiveKey) => readObject(send, bucket, archiveKey) };
}

/** The message that a queue holds instead of a too large one. It names the object with the body. */
const referenceSchema = z.strictObject({
  bodyObject: z.templateLiteral(['messages/', z.hash('sha256'), '.json']),
});

/**
 * Sends bodies above the size limit of SQS by way of S3, as `messages/{sha256}.json` in `bucket`, which must keep them for
 * longer than the queue.
 */
export function createLargeMessageSender(
  sender: QueueSender,
  bucket: string,
  send = createAwsSender(),
): QueueSender {
  const referenceTo = async (body: string) => {
    const bodyObject = messageKeyOf(body);
    await putJson(send, bucket, bodyObject, body);
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
export function createLargeMessages(bucket: string, send = createAwsSender()): LargeMessages {
  return {
    open: async (message) => {
      const key = referenceIn(message);
      if (key === undefined) return message;
      const body = await readText(send, bucket, key);
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
  return `messages/${hash('sha256', body)}.json`;
}

async function readText(send: SendAwsRequest, bucket: string, key: string): Promise<string> {
  return (await readObject(send, bucket, key)).toString();
}

/** @param key needs no percent-encoding, as all keys of the archive bucket */
function readObject(send: SendAwsRequest, bucket: string, key: string): Promise<Buffer> {
  return send({ service: 's3', method: 'GET', path: `/${bucket}/${key}` });
}

async function putJson(send: SendAwsRequest, bucket: string, key: string, text: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  await send({ service: 's3', method: 'PUT', path: `/${bucket}/${key}`, headers, body: Buffer.from(text) });
}
