/** A queue and how many of its messages could not be processed. */
interface QueueCount {
  readonly queueArn: string;
  /** Approximate. */
  readonly messages: number;
}

/** The queues of the stack. */
export interface QueueCounts {
  /** Dead letters, of the queues that have some. */
  list(): Promise<readonly QueueCount[]>;
}

/** What it means that no record has a word, and where else it may be. */
export async function notFound(word: string, queues: QueueCounts): Promise<string> {
  const dead = await queues.list();
  const places = [
    'it still waits in its queue',
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
