import type { ChangeEventRecord, ChangeEventTable } from '../../shared/changes/change-events.ts';
import { directly, type Step } from './step.ts';

/** The ChangeEvents table in memory; tables over the same `events` are one table. */
export function inMemoryChangeEventTable(
  step: Step = directly,
  events: Map<string, ChangeEventRecord> = new Map(),
): ChangeEventTable {
  return {
    putAll: (added) =>
      step(`changeEvents.putAll ${added.length}`, () => {
        for (const event of added) events.set(`${event.detailType}#${event.eventId}`, event);
      }),
    get: (eventId) =>
      step(`changeEvents.get ${eventId}`, () =>
        [...events.values()].filter((event) => event.eventId === eventId),
      ),
  };
}
