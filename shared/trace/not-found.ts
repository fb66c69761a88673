/** Messages of a queue, approximately. */
interface QueueCount {
  /** What they are about, such as `Changes`. */
  readonly topic: string;
  readonly messages: number;
}

/** The queues of the stack. */
export interface QueueCounts {
  /** Dead letters, of the queues that have some. */
  list(): Promise<readonly QueueCount[]>;
  /** Messages that wait or are being processed, of the queues that have some. */
  listWaiting(): Promise<readonly QueueCount[]>;
}

/** What it means that no record has a word: it was not received, or it is in a queue that has messages. */
export async function notFound(word: string, queues: QueueCounts): Promise<string> {
  const [waiting, dead] = await Promise.all([queues.listWaiting(), queues.list()]);
  const expired = 'or its record has expired';
  if (waiting.length === 0 && dead.length === 0)
    return `No record of ${word}: it was not received, ${expired}. No queue has a message.`;
  const places = [
    ...waiting.map((one) => `${counted(one, 'message')} in the queue ${one.topic}`),
    ...dead.map((one) => `${counted(one, 'dead letter')} of the queue ${one.topic}`),
  ];
  return `No record of ${word} yet. It may be among ${places.join(', or ')}; otherwise it was not received, ${expired}.`;
}

function counted({ messages }: QueueCount, what: string): string {
  return `the ${messages} ${messages === 1 ? what : `${what}s`}`;
}
