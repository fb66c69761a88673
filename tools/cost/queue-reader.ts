import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type SqsRecord, toSqsRecord } from '../../local/aws/events/sqs-event.ts';
import type { LocalRun } from '../../local/aws/index.ts';
import type { Bill } from './meter/bill.ts';

/** What one request of Lambda's pollers takes from a queue at most. */
const MESSAGES_PER_POLL = 10;
/** What Lambda hands to one invocation at most is 6 MB; the envelopes of its messages need some of it. */
const LARGEST_RECEIVE_BYTES = 4 * 1024 * 1024;

/** One queue, read as Lambda's pollers read it, with their requests on the bill. */
export interface QueueReader {
  /** So many messages at most, fewer where they are large. */
  receive(most: number): Promise<SqsRecord[]>;
  delete(records: readonly SqsRecord[]): Promise<void>;
  /** Whether no message is there that can be received now or after a delay. */
  isEmpty(): Promise<boolean>;
}

/** @param queue a part of the queue's name that no other queue has */
export async function createQueueReader(run: LocalRun, queue: string, bill: Bill): Promise<QueueReader> {
  const { endpoint, region, accountId, adminCredentials: credentials } = run;
  const client = new SQSClient({ endpoint, region, credentials });
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  const QueueUrl = QueueUrls.find((url) => url.includes(queue));
  if (QueueUrl === undefined) throw new Error(`the stack has no queue ${queue}`);
  const queueArn = `arn:aws:sqs:${region}:${accountId}:${QueueUrl.split('/').at(-1)}`;

  async function poll(most: number): Promise<SqsRecord[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: Math.min(MESSAGES_PER_POLL, most),
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', ...message }) => {
      const { MD5OfBody = '', Attributes = {}, MessageAttributes = {} } = message;
      const facts = { md5OfBody: MD5OfBody, attributes: Attributes, messageAttributes: MessageAttributes };
      return toSqsRecord(
        { messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, ...facts },
        queueArn,
      );
    });
  }

  return {
    receive: async (most) => {
      const records: SqsRecord[] = [];
      while (records.length < most && bytesOf(records) < LARGEST_RECEIVE_BYTES) {
        const polled = await poll(most - records.length);
        if (polled.length === 0) break;
        records.push(...polled);
        bill.addChunks('queueRequest', bytesOf(polled));
        // What came by a rule of the bus was sent by EventBridge, whose request is billed as well.
        for (const one of polled.filter(isFromBus)) bill.addChunks('queueRequest', bytesOf([one]));
      }
      return records;
    },

    delete: async (records) => {
      for (let start = 0; start < records.length; start += MESSAGES_PER_POLL) {
        const Entries = records
          .slice(start, start + MESSAGES_PER_POLL)
          .map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
        bill.add('queueRequest', 1);
        await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },

    isEmpty: async () => {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      const { ApproximateNumberOfMessages: now, ApproximateNumberOfMessagesDelayed: later } = Attributes;
      return Number(now) + Number(later) === 0;
    },
  };
}

function bytesOf(records: readonly SqsRecord[]): number {
  return records.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}

function isFromBus({ body }: SqsRecord): boolean {
  const { id, source } = JSON.parse(body) as { id?: string; source?: string };
  return id !== undefined && source !== undefined;
}
