import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CommandMessage } from '../../../shared/requests/use-cases/receive-commands.ts';
import type { RequestTime } from '../../../shared/requests/use-cases/run-request.ts';
import { contextOf, countedMetrics, setStage } from '../functions/invocation.ts';

beforeEach(async () => {
  const clear = setStage();
  await countedMetrics();
  return clear;
});

const MOST_TOGETHER = 60_000_000;
const LARGE = 'x'.repeat(4_000_000);

/** Delivers messages to a handler whose large messages have the bodies `open` gives. */
async function deliver(
  bodies: readonly string[],
  open: (body: string) => Promise<string>,
  { remainingMs = (): number => 120_000, failed = [] as string[] } = {},
) {
  const { commandHandler } = await import('../../../shared/lambda/command-handler.ts');
  const received: (readonly CommandMessage[])[] = [];
  const times: RequestTime[] = [];
  const handler = commandHandler({ open }, async (messages, time) => {
    received.push(messages);
    times.push(time);
    const failures = messages
      .filter(({ messageId }) => failed.includes(messageId))
      .map(({ messageId }) => ({ messageId, error: new Error('failed') }));
    return { failures, commands: [], deferred: [], rejected: 0, requests: [], warnings: [] };
  });
  const Records = bodies.map((body, index) => ({
    messageId: `m-${index}`,
    body,
    attributes: { SentTimestamp: '0' },
  }));
  const context = { ...contextOf(0), getRemainingTimeInMillis: remainingMs };
  const answer = (await handler({ Records } as SQSEvent, context)) as SQSBatchResponse;
  return { received, times, redelivered: answer.batchItemFailures.map((one) => one.itemIdentifier) };
}

const idsOf = (messages: readonly CommandMessage[]) => messages.map(({ messageId }) => messageId);
const all = (count: number) => Array.from({ length: count }, (_, index) => `m-${index}`);

describe('the handler of a queue of commands', () => {
  test('performs a thousand small commands together, in their order', async () => {
    const { received, redelivered } = await deliver(Array(1_000).fill('{}'), async (body) => body);
    expect(received.map(idsOf)).toEqual([all(1_000)]);
    expect(redelivered).toEqual([]);
  });

  test('performs large commands in parts that fit into memory, within one time for requests', async () => {
    const { received, times, redelivered } = await deliver(Array(100).fill('reference'), async () => LARGE);
    expect(received.flatMap(idsOf)).toEqual(all(100));
    for (const part of received) {
      expect(part.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(MOST_TOGETHER);
    }
    expect(new Set(times).size).toBe(1);
    expect(redelivered).toEqual([]);
  });

  test('leaves parts for which no time is left to a later delivery', async () => {
    let remainingMs = 120_000;
    const { received, redelivered } = await deliver(Array(30).fill('reference'), async () => LARGE, {
      remainingMs: () => (remainingMs -= 50_000),
    });
    const begun = received.flatMap(idsOf);
    expect(begun).toEqual(all(begun.length));
    expect([...begun, ...redelivered]).toEqual(all(30));
    expect(redelivered.length).toBeGreaterThan(0);
  });

  test('has only the messages redelivered that failed, or whose body could not be fetched', async () => {
    const open = async (body: string) => {
      if (body === 'gone') throw new Error('no such object');
      return body;
    };
    const { received, redelivered } = await deliver(['{}', 'gone', '{}'], open, { failed: ['m-2'] });
    expect(received.map(idsOf)).toEqual([['m-0', 'm-2']]);
    expect(redelivered.toSorted()).toEqual(['m-1', 'm-2']);
  });
});
