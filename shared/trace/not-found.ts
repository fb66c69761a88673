/** A queue with messages that could not be processed. */
interface DeadLetters {
  readonly queueArn: string;
  /** Approximate. */
  readonly messages: number;
}

/** The dead-letter queues of the stack. */
export interface DeadLetterCounts {
  /** Those that are not empty. */
  list(): Promise<readonly DeadLetters[]>;
}

/** What it means that no record has a word, and where it may be. */
export function notFound(word: string, deadLetters: readonly DeadLetters[]): string {
  const places = deadLetters.map(
    ({ queueArn, messages }) =>
      `${queueArn.split(':').at(-1)} (${messages === 1 ? '1 message' : `${messages} messages`})`,
  );
  const dead = places.length === 0 ? '' : ` It may be among the dead letters of ${places.join(', ')}.`;
  return `No record of ${word}: it was not received, still waits in its queue, or its record has expired.${dead}`;
}
