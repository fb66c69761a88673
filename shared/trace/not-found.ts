import { MOST_SUBJECTS } from '../requests/use-cases/plan-commands.ts';

/** Messages of a queue, approximately. */
interface QueueCount {
  /** What the messages are about, such as `Changes`. */
  readonly topic: string;
  readonly messages: number;
}

/** The queues of the stack. */
export interface QueueCounts {
  /** The dead letters of queues that have any. */
  list(): Promise<readonly QueueCount[]>;
  /** Messages that wait, are delayed or are being processed, of queues that have any. Tickets are left out. */
  listWaiting(): Promise<readonly QueueCount[]>;
}

/** A word that may be the ID of a product, also as the target of a trace. */
const UUID = /^(target )?(id:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;
/** The answer to a creation does not have the marketplace's ID of the product. */
const PRODUCT_IDS =
  'A product is found by the ID that the marketplace gave it once an answer about its stock or price has named it, or once it was read, ' +
  'at the latest by the next whole comparison of its store (`drift`); before, by its SKU or externalId. ' +
  `A deletion is found by the IDs of its first ${MOST_SUBJECTS} products.`;

const CASE =
  'In a SKU, an invoice number, the ID of a store and the key of a file upper and lower case count.';
/** An order's record has only the name by which the order was given. */
const ORDERS = 'An order is found by the name that its command gave: its order ID or its invoice number.';

/**
 * Says what it means if no record has a word: the message was not received, the record has expired or was erased, or the word is in a
 * queue with messages or in an open batch.
 *
 * @param isInBatch whether the word may name a product of an open batch: not all names in open batches were looked at
 */
export async function notFound(word: string, queues: QueueCounts, isInBatch: boolean): Promise<string> {
  const [waiting, dead] = await Promise.all([queues.listWaiting(), queues.list()]);
  const notKept = 'or its record is not kept any more';
  const hint = `${UUID.test(word) ? PRODUCT_IDS : CASE} ${ORDERS}`;
  const places = [
    ...waiting.map((one) => `${counted(one, 'message')} in the queue ${one.topic}`),
    ...dead.map((one) => `${counted(one, 'dead letter')} of the queue ${one.topic}`),
    ...(isInBatch ? ['the products of open batches, not all of whose names could be looked at'] : []),
  ];
  if (places.length === 0)
    return `No record of ${word}: it was not received, ${notKept}. No queue has a message. ${hint}`;
  return `No record of ${word} yet. It may be among ${places.join(', or ')}; otherwise it was not received, ${notKept}. ${hint}`;
}

function counted({ messages }: QueueCount, what: string): string {
  return `the ${messages} ${messages === 1 ? what : `${what}s`}`;
}
