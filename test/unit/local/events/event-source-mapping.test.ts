import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createEventSourceMapping,
  type EventSourceMapping,
  type EventSourceMappingOptions,
} from '../../../../local/aws/events/event-source-mapping.ts';
import type { SqsRecord } from '../../../../local/aws/events/sqs-event.ts';
import type { EventSourceMappingDefinition, InvocationResult } from '../../../../local/aws/model.ts';
import { createMemoryQueue } from './memory-queue.ts';

const OK: InvocationResult = { ok: true, payload: null };
let mapping: EventSourceMapping | undefined;

interface SetUp {
  definition?: Partial<EventSourceMappingDefinition>;
  handler?: (bodies: string[], records: SqsRecord[]) => InvocationResult | Promise<InvocationResult>;
  options?: Partial<EventSourceMappingOptions>;
}

/** A mapping of a queue in memory, not started; `batches` are the bodies that each invocation received. */
function setUp({ definition, handler = () => OK, options }: SetUp = {}) {
  const queue = createMemoryQueue();
  const batches: string[][] = [];
  const lines: string[] = [];
  const created = createEventSourceMapping({
    definition: {
      queueArn: 'arn:aws:sqs:us-east-1:000000000000:changes',
      functionName: 'change-intake',
      batchSize: 10,
      windowSeconds: 0,
      reportBatchItemFailures: false,
      ...definition,
    },
    queue,
    invoke: async (event) => {
      const { Records } = event as { Records: SqsRecord[] };
      const bodies = Records.map((record) => record.body);
      batches.push(bodies);
      return handler(bodies, Records);
    },
    functionTimeoutSeconds: 10,
    visibilityTimeoutSeconds: 60,
    log: (line) => lines.push(line.message),
    ...options,
  });
  mapping = created;
  return { mapping: created, queue, batches, lines };
}

afterEach(async () => {
  await mapping?.stop();
  mapping = undefined;
});

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

describe('batches of a mapping', () => {
  test('hold the messages of one receive when there is no window', async () => {
    const { mapping, queue, batches } = setUp();
    queue.send(...numbers(12));
    mapping.start();
    await vi.waitFor(() => expect(batches.flat()).toHaveLength(12));
    expect(batches.map((batch) => batch.length)).toEqual([10, 2]);
  });

  test('never hold more than the batch size', async () => {
    const { mapping, queue, batches } = setUp({ definition: { batchSize: 1 } });
    queue.send('a', 'b');
    mapping.start();
    await vi.waitFor(() => expect(batches).toEqual([['a'], ['b']]));
    expect(Math.max(...queue.receives)).toBe(1);
  });

  test('are filled by several receives within the window', async () => {
    const { mapping, queue, batches } = setUp({ definition: { batchSize: 25, windowSeconds: 2 } });
    queue.send(...numbers(25));
    mapping.start();
    await vi.waitFor(() => expect(batches[0]).toHaveLength(25));
    expect(queue.receives.slice(0, 3)).toEqual([10, 10, 5]);
  });

  test('are closed by the window when they are not full', async () => {
    const { mapping, queue, batches } = setUp({ definition: { windowSeconds: 0.05 } });
    queue.send('a');
    mapping.start();
    await vi.waitFor(() => expect(batches).toEqual([['a']]));
  });

  test('are closed before they exceed 6 MB, and the rest goes into the next batch', async () => {
    const { mapping, queue, batches } = setUp();
    const megabyte = (letter: string): string => letter.repeat(1024 * 1024);
    queue.send(...[...'abcdefgh'].map(megabyte));
    mapping.start();
    await vi.waitFor(() => expect(batches.flat()).toHaveLength(8));
    expect(batches.map((batch) => batch.map((body) => body[0]).join(''))).toEqual(['abcde', 'fgh']);
    await vi.waitFor(() => expect(queue.inFlight()).toEqual([]));
  });
});

describe('the messages of a batch', () => {
  test('are deleted after success, in requests of at most 10', async () => {
    const { mapping, queue, batches, lines } = setUp({ definition: { batchSize: 25, windowSeconds: 1 } });
    queue.send(...numbers(25));
    mapping.start();
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    await vi.waitFor(() => expect(queue.inFlight()).toEqual([]));
    expect(lines).toEqual([]);
  });

  test('are kept when the function failed, and the log says why', async () => {
    const { mapping, queue, lines } = setUp({
      handler: () => ({ ok: false, errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out' }),
    });
    queue.send('a', 'b');
    mapping.start();
    await vi.waitFor(() =>
      expect(lines).toEqual([expect.stringContaining('2 messages failed: Sandbox.Timedout')]),
    );
    expect(queue.inFlight()).toEqual(['a', 'b']);
  });

  test('are kept when the function reports them as failed', async () => {
    const { mapping, queue, batches } = setUp({
      definition: { reportBatchItemFailures: true },
      handler: (_bodies, records) => ({
        ok: true,
        payload: { batchItemFailures: [{ itemIdentifier: records[1]?.messageId }] },
      }),
    });
    queue.send('a', 'b', 'c');
    mapping.start();
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    await vi.waitFor(() => expect(queue.inFlight()).toEqual(['b']));
  });

  test('are deleted whatever the function returns when it does not report failures', async () => {
    const { mapping, queue, batches } = setUp({
      handler: () => ({ ok: true, payload: { batchItemFailures: [{ itemIdentifier: 'm-1' }] } }),
    });
    queue.send('a');
    mapping.start();
    await vi.waitFor(() => expect(batches).toHaveLength(1));
    await vi.waitFor(() => expect(queue.inFlight()).toEqual([]));
  });
});

test('the number of concurrent batches stays within the maximum concurrency', async () => {
  const gates: Array<() => void> = [];
  const { mapping, queue, batches } = setUp({
    definition: { batchSize: 1, maximumConcurrency: 2 },
    handler: () => new Promise((resolve) => gates.push(() => resolve(OK))),
  });
  queue.send('a', 'b', 'c');
  mapping.start();
  await vi.waitFor(() => expect(batches).toEqual([['a'], ['b']]));
  expect(queue.receives).toHaveLength(2);
  gates[0]?.();
  await vi.waitFor(() => expect(batches).toHaveLength(3));
  for (const open of gates) open();
});

test('a queue that can not be read is tried again', async () => {
  const queue = createMemoryQueue();
  let refusals = 0;
  const receive: typeof queue.receive = async (request) => {
    if (refusals > 0) return queue.receive(request);
    refusals += 1;
    throw new Error('AccessDenied: sqs:ReceiveMessage');
  };
  const { mapping, batches, lines } = setUp({ options: { queue: { ...queue, receive } } });
  queue.send('a');
  mapping.start();
  await vi.waitFor(() => expect(batches).toEqual([['a']]), { timeout: 4000 });
  expect(lines).toEqual([expect.stringContaining('can not be read: AccessDenied: sqs:ReceiveMessage')]);
});

test('a stop ends the wait for a message', async () => {
  const { mapping, queue, lines } = setUp();
  const polls: Promise<unknown>[] = [];
  const { receive } = queue;
  queue.receive = (request) => {
    const polled = receive(request);
    polls.push(polled);
    return polled;
  };
  mapping.start();
  await vi.waitFor(() => expect(polls).toHaveLength(1));
  await mapping.stop();
  await expect(polls[0]).rejects.toThrow(/abort/);
  expect(polls).toHaveLength(1);
  expect(lines).toEqual([]);
});

test('a stop waits for running invocations and starts none', async () => {
  const gate = Promise.withResolvers<InvocationResult>();
  const { mapping, queue, batches } = setUp({ definition: { batchSize: 1 }, handler: () => gate.promise });
  queue.send('a');
  mapping.start();
  await vi.waitFor(() => expect(batches).toEqual([['a']]));
  const stopped = mapping.stop();
  queue.send('b');
  gate.resolve(OK);
  await stopped;
  expect(queue.inFlight().filter((body) => body === 'a')).toEqual([]);
  expect(batches).toEqual([['a']]);
  expect(mapping.running()).toBe(0);
});

test('a stop logs nothing about an invocation that it aborted', async () => {
  const gate = Promise.withResolvers<InvocationResult>();
  const { mapping, queue, batches, lines } = setUp({ handler: () => gate.promise });
  queue.send('a');
  mapping.start();
  await vi.waitFor(() => expect(batches).toEqual([['a']]));
  const stopped = mapping.stop();
  gate.resolve({ ok: false, errorType: 'Runtime.ExitError', errorMessage: 'signal: killed' });
  await stopped;
  expect(lines).toEqual([]);
  expect(queue.inFlight()).toEqual(['a']);
});

test('a stop waits only a limited time for an invocation', async () => {
  const gate = Promise.withResolvers<InvocationResult>();
  const { mapping, queue, batches } = setUp({
    definition: { maximumConcurrency: 2 },
    handler: () => gate.promise,
  });
  queue.send('a');
  mapping.start();
  await vi.waitFor(() => expect(batches).toEqual([['a']]));
  await mapping.stop();
  expect(queue.inFlight()).toEqual(['a']);
  gate.resolve(OK);
});

describe('settings that Lambda refuses are refused', () => {
  test.each<[string, Partial<EventSourceMappingDefinition>, RegExp]>([
    ['large batches without a window', { batchSize: 11 }, /need a window/],
    ['an impossible batch size', { batchSize: 10_001, windowSeconds: 1 }, /1 to 10,000/],
    ['a window of more than 5 minutes', { windowSeconds: 301 }, /0 to 300/],
    ['a concurrency of one', { maximumConcurrency: 1 }, /2 to 1,000/],
  ])('%s', (_what, definition, reason) => {
    expect(() => setUp({ definition })).toThrow(reason);
  });

  test('for a visibility timeout shorter than the timeout of the function', () => {
    expect(() => setUp({ options: { visibilityTimeoutSeconds: 9 } })).toThrow(/visibility timeout \(9 s\)/);
  });
});
