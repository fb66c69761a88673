import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { createEventPublisher } from '../../../shared/aws/event-bus.ts';
import { createQueueSender } from '../../../shared/aws/queue-sender.ts';

interface Entry {
  /** SQS only. */
  readonly Id?: string;
  readonly MessageBody?: string;
  /** EventBridge only. */
  readonly Detail?: string;
}

interface Refusals<Client> {
  /** What each call was given, refused or not, by name. */
  readonly calls: string[][];
  readonly client: Client;
}

interface Sending {
  readonly calls: string[][];
  /** Milliseconds between the calls. */
  readonly pauses: number[];
  /** Sends what has these names in one batch. */
  send(names: readonly string[]): Promise<void>;
}

/** Refuses one name as often as it says, and takes all else. */
type Refused = Readonly<Record<string, number>>;

const storeOf = ({ MessageBody, Detail }: Entry): string =>
  MessageBody ?? JSON.parse(Detail ?? '{}').storeClientId;

/** Answers 200 to every call, with what becomes of each entry as `answer` tells it. */
function refusing<Client>(refused: Refused, answer: (entries: Outcome[]) => object): Refusals<Client> {
  const calls: string[][] = [];
  const left = new Map(Object.entries(refused));
  const send = async ({ input: { Entries } }: { input: { Entries: Entry[] } }) => {
    calls.push(Entries.map(storeOf));
    const outcomes = Entries.map((entry) => {
      const times = left.get(storeOf(entry)) ?? 0;
      left.set(storeOf(entry), times - 1);
      return { entry, isTaken: times <= 0 };
    });
    return answer(outcomes);
  };
  return { calls, client: { send } as Client };
}

interface Outcome {
  readonly entry: Entry;
  readonly isTaken: boolean;
}

/** As SQS names what it took and what it did not, in an order of its own. */
function sqsAnswer(outcomes: Outcome[]): object {
  const named = (isTaken: boolean) =>
    outcomes
      .filter((outcome) => outcome.isTaken === isTaken)
      .map(({ entry: { Id } }) => ({ Id }))
      .toReversed();
  const [Successful, Failed] = [named(true), named(false)];
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}

/** As EventBridge answers for each entry at its place. */
function busAnswer(outcomes: Outcome[]): object {
  return {
    FailedEntryCount: outcomes.filter(({ isTaken }) => !isTaken).length,
    Entries: outcomes.map(({ isTaken }, index) =>
      isTaken ? { EventId: String(index) } : { ErrorCode: 'InternalFailure', ErrorMessage: 'not now' },
    ),
  };
}

function pausing() {
  const pauses: number[] = [];
  return { pauses, clock: { sleep: async (ms: number) => void pauses.push(ms) } };
}

function toQueue(refused: Refused): Sending {
  const { calls, client } = refusing<SQSClient>(refused, sqsAnswer);
  const { pauses, clock } = pausing();
  return { calls, pauses, send: (names) => createQueueSender(client, 'queue', clock).send(names) };
}

function toBus(refused: Refused): Sending {
  const { calls, client } = refusing<EventBridgeClient>(refused, busAnswer);
  const { pauses, clock } = pausing();
  const publisher = createEventPublisher(client, 'bus', clock);
  return {
    calls,
    pauses,
    send: (names) =>
      publisher.publish(
        names.map((storeClientId) => ({ detailType: 'store.connected', detail: { storeClientId } })),
      ),
  };
}

describe.each([
  ['SQS', toQueue, 'MESSAGES_NOT_SENT'],
  ['EventBridge', toBus, 'EVENTS_NOT_PUBLISHED'],
])('what %s refuses of a batch', (_, to, code) => {
  test('goes again without the rest, in order, until all is taken', async () => {
    const { send, calls } = to({ b: 1, d: 2, e: 2 });
    await send(['a', 'b', 'c', 'd', 'e']);
    expect(calls).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['b', 'd', 'e'],
      ['d', 'e'],
    ]);
  });

  test('may be refused five times', async () => {
    const { send, calls } = to({ b: 5 });
    await send(['a', 'b']);
    expect(calls).toEqual([['a', 'b'], ['b'], ['b'], ['b'], ['b'], ['b']]);
  });

  test('is an error that may pass once it was refused six times', async () => {
    const { send, calls } = to({ b: 6 });
    await expect(send(['a', 'b'])).rejects.toMatchObject({
      code,
      retryable: true,
      message: expect.stringMatching(/^1 /),
    });
    expect(calls).toEqual([['a', 'b'], ['b'], ['b'], ['b'], ['b'], ['b']]);
  });

  test('goes again only after a pause, twice as long each time', async () => {
    const { send, pauses } = to({ b: 3 });
    await send(['a', 'b']);
    expect(pauses).toEqual([20, 40, 80]);
  });
});
