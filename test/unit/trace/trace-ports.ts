import { inMemoryGuardTable } from '../../doubles/in-memory-guard-table.ts';
import { inMemoryLaneTable } from '../../doubles/in-memory-lane-table.ts';
import { inMemoryLimitTable } from '../../doubles/in-memory-limit-table.ts';

/** The ports of a trace that say why something waits, and where it may be. Nothing was sent, and the queues are empty. */
export function emptyTracePorts() {
  return {
    lanes: inMemoryLaneTable(),
    guards: inMemoryGuardTable(),
    limits: inMemoryLimitTable(),
    limitIds: ['partner'],
    restoredTables: undefined as string | undefined,
    deadLetters: { list: async () => [], listWaiting: async () => [] },
  };
}
