/** The fields of a message by which a standard queue orders it. */
interface Grouped {
  readonly messageGroupId?: string | undefined;
}

/**
 * A message group is a noisy neighbour if it has at least `inFlight` messages in flight, and more than `share` of all messages in flight.
 */
const NOISY = { inFlight: 30, share: 0.1 };

/**
 * The messages that a receive of a standard queue hands out next, at most `most`: messages of noisy groups come last, and among these the
 * group with the fewest messages in flight comes first. A message without a group counts as its own group.
 *
 * AWS's page: "How Amazon SQS fair queues work". SQS also looks at each group's share of the processing time, which is not counted here.
 *
 * @param waiting messages in the order of arrival
 */
export function nextInFairOrder<Message extends Grouped>(
  waiting: readonly Message[],
  inFlight: Iterable<Grouped>,
  most: number,
): Message[] {
  const noise = noiseOf([...inFlight]);
  const levels = [0, ...new Set(noise.values())].sort((a, b) => a - b);
  const next: Message[] = [];
  for (const level of levels) {
    for (const message of waiting) {
      if (next.length === most) return next;
      if ((noise.get(message.messageGroupId) ?? 0) === level) next.push(message);
    }
  }
  return next;
}

/** The messages in flight of each noisy group. */
function noiseOf(inFlight: readonly Grouped[]): Map<string | undefined, number> {
  const least = Math.max(NOISY.inFlight, Math.floor(NOISY.share * inFlight.length) + 1);
  const groups = new Map<string, number>();
  for (const { messageGroupId: group } of inFlight) {
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return new Map([...groups].filter(([, count]) => count >= least));
}
