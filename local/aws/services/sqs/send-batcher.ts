const maxEntries = 10;
const maxBytes = 1024 * 1024;

/** A message as a service delivers it. */
export interface Delivery {
  readonly body: string;
  /** The message group. */
  readonly groupId?: string | undefined;
}

interface Waiting {
  readonly delivery: Delivery;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Sends one batch; returns the positions of the messages that the queue refused, with its reasons. */
export type SendBatch = (deliveries: readonly Delivery[]) => Promise<ReadonlyMap<number, string>>;

/**
 * Gathers the messages that are sent to a queue in one turn of the event loop into batches of the greatest size: a request costs far more
 * than a message. The order of sending is kept.
 *
 * @returns resolves when the queue has the message
 */
export function createSendBatcher(sendBatch: SendBatch): (delivery: Delivery) => Promise<void> {
  let waiting: Waiting[] = [];
  let last: Promise<void> = Promise.resolve();

  function flush(): void {
    const batches = inBatches(waiting);
    waiting = [];
    for (const batch of batches) last = last.then(() => send(batch));
  }

  async function send(batch: readonly Waiting[]): Promise<void> {
    try {
      const refused = await sendBatch(batch.map(({ delivery }) => delivery));
      batch.forEach(({ resolve, reject }, position) => {
        const reason = refused.get(position);
        if (reason === undefined) resolve();
        else reject(new Error(reason));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (delivery) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ delivery, bytes: Buffer.byteLength(delivery.body), resolve, reject });
    });
}

function inBatches(waiting: readonly Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  let bytes = 0;
  for (const one of waiting) {
    const current = batches.at(-1);
    if (!current || current.length === maxEntries || bytes + one.bytes > maxBytes) {
      batches.push([one]);
      bytes = one.bytes;
    } else {
      current.push(one);
      bytes += one.bytes;
    }
  }
  return batches;
}
