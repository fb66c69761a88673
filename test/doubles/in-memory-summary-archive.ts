import { createHash } from 'node:crypto';
import type { SummaryArchive } from '../../shared/batches/ports.ts';
import { directly, type Step } from './step.ts';

/** The archive bucket in memory; archives over the same `objects` are one bucket. */
export function inMemorySummaryArchive(
  step: Step = directly,
  objects: Map<string, Uint8Array> = new Map(),
): SummaryArchive {
  return {
    put: (rawBody, receivedAt) => {
      const digest = createHash('sha256').update(rawBody).digest('hex');
      const key = `webhooks/${receivedAt.slice(0, 10)}/${digest}.json`;
      return step(`archive.put ${key}`, () => {
        objects.set(key, Uint8Array.from(rawBody));
        return key;
      });
    },

    get: (archiveKey) =>
      step(`archive.get ${archiveKey}`, () => {
        const object = objects.get(archiveKey);
        if (object === undefined) throw new Error(`${archiveKey} is not there`);
        return Uint8Array.from(object);
      }),
  };
}
