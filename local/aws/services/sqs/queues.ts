import { text } from 'node:stream/consumers';
import type { QueueMessage, QueuePort } from '../../model.ts';
import type { Backend } from '../backend.ts';
import { createQueueCalls, type ReceivedMessage } from './queue-calls.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { createSendBatcher, type Delivery } from './send-batcher.ts';
import { type FailedEntry, partByFault } from './send-fault.ts';

/** Messages of a queue by state. */
interface QueueDepth {
  readonly name: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** The queues as AWS services use them, without the gateway. */
export interface Queues {
  /** Creates the queue, or updates the attributes of a queue kept from an earlier run. Returns whether it is new. */
  create(definition: QueueDefinition): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** The attribute `Policy` of every queue that has one, by queue name. */
  policies(): Promise<ReadonlyMap<string, string>>;
  port(name: string): QueuePort;
  send(name: string, delivery: Delivery): Promise<void>;
  depths(): Promise<QueueDepth[]>;
}

export function createQueues(backend: Backend): Queues {
  const { call, names, attributeOfAll } = createQueueCalls(backend);
  const batchers = new Map<string, (delivery: Delivery) => Promise<void>>();

  async function sendBatch(name: string, deliveries: readonly Delivery[]): Promise<Map<number, string>> {
    const Entries = deliveries.map(({ body, groupId }, position) => ({
      Id: String(position),
      MessageBody: body,
      ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    }));
    const { taken, failed } = partByFault({ Entries });
    const sent =
      taken.length > 0 && call<{ Failed?: FailedEntry[] }>('SendMessageBatch', name, { Entries: taken });
    const { Failed = [] } = (await sent) || {};
    return new Map(
      [...failed, ...Failed].map(({ Id, Code, Message }) => [Number(Id), `${Code}: ${Message}`]),
    );
  }

  return {
    async create({ name, attributes }) {
      if ((await names()).includes(name)) {
        await call('SetQueueAttributes', name, { Attributes: attributes });
        return false;
      }
      await backend.json('AmazonSQS.CreateQueue', { QueueName: name, Attributes: attributes });
      return true;
    },

    async remove(name) {
      await call('DeleteQueue', name);
    },

    async policies() {
      const all = await attributeOfAll('Policy');
      return new Map([...all].flatMap(([name, policy]) => (policy ? [[name, policy]] : [])));
    },

    port: (name) => ({
      async receive({ maxMessages, waitSeconds, signal }) {
        const input = {
          MaxNumberOfMessages: maxMessages,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        };
        const { Messages = [] } = await call<{ Messages?: ReceivedMessage[] }>(
          'ReceiveMessage',
          name,
          input,
          signal,
        );
        return Messages.map(toQueueMessage);
      },
      async delete(receiptHandles) {
        await call('DeleteMessageBatch', name, { Entries: entries(receiptHandles) });
      },
    }),

    send(name, delivery) {
      const send = batchers.get(name) ?? createSendBatcher((deliveries) => sendBatch(name, deliveries));
      batchers.set(name, send);
      return send(delivery);
    },

    async depths() {
      const { body } = await backend.forward({
        method: 'GET',
        rawPath: '/_fauxqs/queues',
        rawQuery: '',
        headers: {},
        body: Buffer.alloc(0),
      });
      const json = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : await text(body);
      const queues = JSON.parse(json) as {
        name: string;
        approximateMessageCount: number;
        approximateInflightCount: number;
        approximateDelayedCount: number;
      }[];
      return queues.map((queue) => ({
        name: queue.name,
        visible: queue.approximateMessageCount,
        inFlight: queue.approximateInflightCount,
        delayed: queue.approximateDelayedCount,
      }));
    },
  };
}

function entries(receiptHandles: readonly string[]): object[] {
  return receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
}

function toQueueMessage(message: ReceivedMessage): QueueMessage {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    md5OfBody: message.MD5OfBody,
    attributes: message.Attributes ?? {},
    messageAttributes: message.MessageAttributes ?? {},
  };
}
