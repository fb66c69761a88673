import { account } from '../../template/account.ts';
import type { Backend } from '../backend.ts';

/** Calls of SQS for the run itself, by the names of queues. */
export interface QueueCalls {
  call<T>(operation: string, name: string, input?: object, signal?: AbortSignal): Promise<T>;
  names(): Promise<string[]>;
  /** An attribute of every queue, by queue name; `undefined` for a queue that lacks the attribute. */
  attributeOfAll(attribute: string): Promise<ReadonlyMap<string, string | undefined>>;
}

export interface ReceivedMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, unknown>>;
}

export function createQueueCalls(backend: Backend): QueueCalls {
  const calls: QueueCalls = {
    call: (operation, name, input = {}, signal) =>
      backend.json(
        `AmazonSQS.${operation}`,
        { QueueUrl: `http://queue/${account.id}/${name}`, ...input },
        signal,
      ),

    async names() {
      const { QueueUrls = [] } = await backend.json<{ QueueUrls?: string[] }>('AmazonSQS.ListQueues', {});
      return QueueUrls.map((url) => url.split('/').at(-1) ?? url);
    },

    async attributeOfAll(attribute) {
      const read = async (name: string) => {
        const input = { AttributeNames: [attribute] };
        const { Attributes = {} } = await calls.call<{ Attributes?: Record<string, string> }>(
          'GetQueueAttributes',
          name,
          input,
        );
        return [name, Attributes[attribute]] as const;
      };
      return new Map(await Promise.all((await calls.names()).map(read)));
    },
  };
  return calls;
}
