/** A queue and how many messages it has, or could not process. */
interface QueueCount {
  readonly queueArn: string;
  /** Approximate. */
  readonly messages: number;
}

/** The queues of the stack. */
export interface QueueCounts {
  /** Dead letters, of the queues that have some. */
  list(): Promise<readonly QueueCount[]>;
  /** Messages that wait, are in work or are delayed, of the queues that have some. */
  listWaiting(): Promise<readonly QueueCount[]>;
}

/** What it means that no record has a word, and where else it may be. */
export async function notFound(word: string, queues: QueueCounts): Promise<string> {
  const [dead, waiting] = await Promise.all([queues.list(), queues.listWaiting()]);
  const places = [
    ...(waiting.length === 0 ? [] : [`it still waits in ${namesOf(waiting)}`]),
    ...(dead.length === 0 ? [] : [`it is among the dead letters of ${namesOf(dead)}`]),
    'its record has expired',
  ];
  return `No record of ${word}: it was not received, unless ${places.join(', or ')}.`;
}

function namesOf(counts: readonly QueueCount[]): string {
  return counts
    .map(
      ({ queueArn, messages }) =>
        `${queueArn.split(':').at(-1)} (${messages} ${messages === 1 ? 'message' : 'messages'})`,
    )
    .join(', ');
}
