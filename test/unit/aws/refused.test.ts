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

interface Refusals {
  /** The names that each call received, refused ones included. */
  readonly calls: string[][];
  answerTo(entries: Entry[]): object;
}

interface Sending {
  readonly calls: string[][];
  /** Milliseconds between the calls. */
  readonly pauses: number[];
  /** Sends entries with these names in one batch. */
  send(names: readonly string[]): Promise<void>;
}

/** Refuses one name this many times, and accepts all others. */
type Refused = Readonly<Record<string, number>>;

const storeOf = ({ MessageBody, Detail }: Entry): string =>
  MessageBody ?? JSON.parse(Detail ?? '{}').storeClientId;

/** Answers 200 to every call, with the results of `answer` for the entries. */
function refusing(refused: Refused, answer: (entries: Outcome[]) => object): Refusals {
  const calls: string[][] = [];
  const left = new Map(Object.entries(refused));
  const answerTo = (entries: Entry[]) => {
    calls.push(entries.map(storeOf));
    const outcomes = entries.map((entry) => {
      const times = left.get(storeOf(entry)) ?? 0;
      left.set(storeOf(entry), times - 1);
      return { entry, isTaken: times <= 0 };
    });
    return answer(outcomes);
  };
  return { calls, answerTo };
}

interface Outcome {
  readonly entry: Entry;
  readonly isTaken: boolean;
}

/** Names accepted and refused entries as SQS does, in another order. */
function sqsAnswer(outcomes: Outcome[]): object {
  const named = (isTaken: boolean) =>
    outcomes
      .filter((outcome) => outcome.isTaken === isTaken)
      .map(({ entry: { Id } }) => ({ Id }))
      .toReversed();
  const [Successful, Failed] = [named(true), named(false)];
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}

/** Answers for each entry in order, as EventBridge does. */
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
  const { calls, answerTo } = refusing(refused, sqsAnswer);
  const send = async ({ input }: { input: { Entries: Entry[] } }) => answerTo(input.Entries);
  const client = { send } as unknown as SQSClient;
  const { pauses, clock } = pausing();
  return { calls, pauses, send: (names) => createQueueSender(client, 'queue', clock).send(names) };
}

function toBus(refused: Refused): Sending {
  const { calls, answerTo } = refusing(refused, busAnswer);
  const send = async ({ input }: { input: { Entries: Entry[] } }) => answerTo(input.Entries);
  const client = { send } as unknown as EventBridgeClient;
  const { pauses, clock } = pausing();
  const publisher = createEventPublisher('bus', client, clock);
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
])('entries of a batch that %s refuses', (_, to, code) => {
  test('are sent again without the others, in order, until all are accepted', async () => {
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

  test('become a retryable error after six refusals', async () => {
    const { send, calls } = to({ b: 6 });
    await expect(send(['a', 'b'])).rejects.toMatchObject({
      code,
      retryable: true,
      message: expect.stringMatching(/^1 /),
    });
    expect(calls).toEqual([['a', 'b'], ['b'], ['b'], ['b'], ['b'], ['b']]);
  });

  test('are sent again only after a pause, which doubles each time', async () => {
    const { send, pauses } = to({ b: 3 });
    await send(['a', 'b']);
    expect(pauses).toEqual([20, 40, 80]);
  });
});
