import { setTimeout as pause } from 'node:timers/promises';
import { createSlots } from '../lambda/slots.ts';
import type { EventSourceMappingDefinition, Invoke, Log, QueuePort } from '../model.ts';
import { createBatchGatherer } from './batch-gatherer.ts';
import { failedMessages } from './batch-outcome.ts';
import type { SqsRecord } from './sqs-event.ts';

/** The number of concurrent batches with which Lambda begins to read a queue. */
const DEFAULT_CONCURRENCY = 5;
const MESSAGES_PER_DELETE = 10;
/** Pause after a queue could not be read. */
const PAUSE_AFTER_ERROR_MS = 1000;
const STOP_GRACE_MS = 2000;

export interface EventSourceMappingOptions {
  definition: EventSourceMappingDefinition;
  /** The queue, without permission checks: the permissions of the function's role were checked before. */
  queue: QueuePort;
  invoke: Invoke;
  functionTimeoutSeconds: number;
  visibilityTimeoutSeconds: number;
  log: Log;
}

export interface EventSourceMapping {
  start(): void;
  /**
   * Stops reading and gives running invocations two seconds to end. Unfinished and gathered messages are redelivered
   * after their visibility timeout.
   */
  stop(): Promise<void>;
  /** The number of running batches and gathered messages: 0 when all received messages are finished. */
  running(): number;
}

/**
 * Feeds a function from a queue as Lambda does: batches by size and window, several at a time, messages deleted after
 * their batch succeeded. Failed messages are redelivered after their visibility timeout, until the queue's redrive
 * policy moves them away.
 *
 * @throws Error for settings that Lambda refuses
 */
export function createEventSourceMapping(options: EventSourceMappingOptions): EventSourceMapping {
  const { definition, queue } = options;
  refuseInvalid(options);
  const slots = createSlots(definition.maximumConcurrency ?? DEFAULT_CONCURRENCY);
  const stopping = new AbortController();
  const gatherer = createBatchGatherer({ ...definition, queue, signal: stopping.signal });
  const handling = new Set<Promise<void>>();
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const release = await slots.take();
      const batch = stopping.signal.aborted ? [] : await nextBatch();
      if (batch.length === 0 || stopping.signal.aborted) {
        release();
        continue;
      }
      const handled = handle(batch).finally(() => {
        handling.delete(handled);
        release();
      });
      handling.add(handled);
    }
  }

  async function nextBatch(): Promise<SqsRecord[]> {
    try {
      return await gatherer.next();
    } catch (error) {
      if (stopping.signal.aborted) return [];
      say(`can not be read: ${error instanceof Error ? error.message : String(error)}`);
      await pause(PAUSE_AFTER_ERROR_MS, undefined, { signal: stopping.signal }).catch(() => {});
      return [];
    }
  }

  async function handle(batch: readonly SqsRecord[]): Promise<void> {
    const result = await options.invoke({ Records: batch });
    if (!result.ok) {
      // A failure during a stop is not logged: the stop ends the processes, and the messages are redelivered.
      if (stopping.signal.aborted) return;
      say(`${batch.length} messages failed: ${result.errorType}: ${result.errorMessage}`);
      return;
    }
    const ids = batch.map((record) => record.messageId);
    const failed = definition.reportBatchItemFailures
      ? failedMessages(result.payload, ids)
      : new Set<string>();
    if (failed.size > 0)
      say(
        `${failed.size} of ${batch.length} messages go back to the queue: they failed, or the time was over`,
      );
    await remove(batch.filter((record) => !failed.has(record.messageId)));
  }

  async function remove(done: readonly SqsRecord[]): Promise<void> {
    const handles = done.map((record) => record.receiptHandle);
    const requests: Array<Promise<void>> = [];
    for (let first = 0; first < handles.length; first += MESSAGES_PER_DELETE) {
      requests.push(queue.delete(handles.slice(first, first + MESSAGES_PER_DELETE)));
    }
    for (const outcome of await Promise.allSettled(requests)) {
      if (outcome.status === 'rejected') say(`messages could not be deleted: ${String(outcome.reason)}`);
    }
  }

  function say(what: string): void {
    const message = `${definition.queueArn} → ${definition.functionName}: ${what}`;
    options.log({ time: Date.now(), source: 'local', stream: 'local', message });
  }

  return {
    start() {
      polling ??= poll();
    },
    async stop() {
      stopping.abort();
      const done = new AbortController();
      const grace = pause(STOP_GRACE_MS, undefined, { signal: done.signal }).catch(() => {});
      await Promise.race([Promise.all([polling, ...handling]), grace]);
      done.abort();
    },
    running: () => handling.size + gatherer.held(),
  };
}

/** Lambda's rules, so that a template fails here when Lambda would refuse it. */
function refuseInvalid({
  definition,
  functionTimeoutSeconds,
  visibilityTimeoutSeconds,
}: EventSourceMappingOptions) {
  const { queueArn, batchSize, windowSeconds, maximumConcurrency } = definition;
  const refuse = (reason: string): never => {
    throw new Error(`Event source mapping of ${queueArn}: ${reason}`);
  };
  if (batchSize < 1 || batchSize > 10_000) refuse('the batch size has to be 1 to 10,000.');
  if (windowSeconds < 0 || windowSeconds > 300) refuse('the batching window has to be 0 to 300 seconds.');
  if (batchSize > 10 && windowSeconds < 1)
    refuse('more than 10 messages per batch need a window of at least 1 second.');
  if (maximumConcurrency !== undefined && (maximumConcurrency < 2 || maximumConcurrency > 1000)) {
    refuse('the maximum concurrency has to be 2 to 1,000.');
  }
  if (visibilityTimeoutSeconds < functionTimeoutSeconds) {
    refuse(
      `the queue's visibility timeout (${visibilityTimeoutSeconds} s) is shorter than the function's timeout (${functionTimeoutSeconds} s).`,
    );
  }
}
