import { setTimeout as pause } from 'node:timers/promises';
import type { Queues } from '../services/sqs/queues.ts';

const pollMs = 50;
/** Work moves between queue, mapping, function and bus. So all must look idle this many times in a row. */
const quietPolls = 3;

export interface IdleOptions {
  /** Longest wait in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
}

/**
 * Waits until the queues that feed functions are empty (visible, in flight and delayed messages) and nothing runs.
 *
 * @throws Error naming what is still busy, when the time is up
 */
export async function waitForIdle(
  options: IdleOptions,
  work: { queues: Queues; queueNames: readonly string[]; running: () => Readonly<Record<string, number>> },
): Promise<void> {
  const deadline = performance.now() + (options.timeoutMs ?? 30_000);
  let quiet = 0;
  while (quiet < quietPolls) {
    const busy = await busyParts(work);
    quiet = busy.length === 0 ? quiet + 1 : 0;
    if (quiet === quietPolls) return;
    if (performance.now() > deadline) throw new Error(`Still busy: ${busy.join(', ') || 'until just now'}`);
    await pause(pollMs);
  }
}

async function busyParts(work: Parameters<typeof waitForIdle>[1]): Promise<string[]> {
  const depths = await work.queues.depths();
  const queues = depths
    .filter(({ name }) => work.queueNames.includes(name))
    .map(({ name, visible, inFlight, delayed }) => ({ name, count: visible + inFlight + delayed }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${name} (${count} messages)`);
  const running = Object.entries(work.running())
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what} (${count})`);
  return [...queues, ...running];
}
