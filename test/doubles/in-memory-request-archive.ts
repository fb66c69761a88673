import type { RequestArchive } from '../../shared/batches/ports.ts';
import { directly, type Step } from './step.ts';

/** The archive bucket's part for bulk requests in memory; archives over the same `requests` are one. */
export function inMemoryRequestArchive(
  step: Step = directly,
  requests: Map<string, readonly unknown[]> = new Map(),
): RequestArchive {
  return {
    put: (attemptId, rows) =>
      step(`requests.put ${attemptId}`, () => {
        const key = `requests/${attemptId}.json`;
        requests.set(key, structuredClone(rows));
        return key;
      }),

    get: (requestKey) =>
      step(`requests.get ${requestKey}`, () => structuredClone(requests.get(requestKey)?.slice())),
  };
}
