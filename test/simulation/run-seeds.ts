import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SeedOptions, SeedReport } from './run-seed.ts';

/**
 * Runs `count` seeds from `from` on, on all cores. Yields their reports in the order of the seeds, whichever thread is
 * faster, and ends the threads when the reader stops.
 */
export async function* runSeeds(
  from: number,
  count: number,
  options: SeedOptions = {},
): AsyncGenerator<SeedReport, void, undefined> {
  const runs = Array.from({ length: count }, () => Promise.withResolvers<SeedReport>());
  const left = runs.entries();
  const work = async (worker: Worker) => {
    for (const [index, { resolve, reject }] of left) {
      worker.postMessage(from + index);
      await once(worker, 'message').then(([report]) => resolve(report), reject);
    }
  };
  const workers = Array.from(
    { length: Math.min(count, availableParallelism()) },
    () => new Worker(new URL('./seed-worker.ts', import.meta.url), { workerData: options }),
  );
  try {
    for (const worker of workers) void work(worker);
    for (const { promise } of runs) yield await promise;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
