import { parentPort, workerData } from 'node:worker_threads';
import { runSeed } from './run-seed.ts';

/** Runs each received seed and answers with its report; `workerData` are the options. */
parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await runSeed(seed, workerData));
});
