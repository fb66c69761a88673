import { cpuMs } from './interleaved.ts';

/** CPU time of each contender in a round. */
const ROUND_MS = 20;

/**
 * Measures a call: the mean of as many calls as fit a round.
 *
 * @param calls calls between two looks at the clock, default 1
 * @returns milliseconds of CPU of one call
 */
export function timed(call: () => unknown, calls = 1): () => number {
  return () => {
    const begin = cpuMs();
    let done = 0;
    while (cpuMs() - begin < ROUND_MS) for (let i = 0; i < calls; i += 1, done += 1) call();
    return (cpuMs() - begin) / done;
  };
}

/** As {@link timed}, for a call that is awaited. */
export function timedAsync(call: () => Promise<unknown>): () => Promise<number> {
  return async () => {
    const begin = cpuMs();
    let done = 0;
    for (; cpuMs() - begin < ROUND_MS; done += 1) await call();
    return (cpuMs() - begin) / done;
  };
}
