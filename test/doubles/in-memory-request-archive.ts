import type { RequestArchive } from '../../shared/batches/ports.ts';
import { directly, type Step } from './step.ts';

/** The archive of bulk requests in memory; archives over the same `requests` are one. */
export function inMemoryRequestArchive(
  step: Step = directly,
  requests: Map<string, readonly unknown[]> = new Map(),
): RequestArchive {
  return {
    put: (requestKey, rows) =>
      step(`requests.put ${requestKey}`, () => {
        requests.set(requestKey, structuredClone(rows));
      }),

    get: (requestKey) =>
      step(`requests.get ${requestKey}`, () => structuredClone(requests.get(requestKey)?.slice())),
  };
}
