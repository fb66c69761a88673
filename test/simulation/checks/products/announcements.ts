import type { BatchRecord, RejectedRow } from '../../../../shared/batches/model.ts';
import type { OutgoingEvent } from '../../../../shared/events/outgoing.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { ProductTables } from '../../world/products/product-tables.ts';
import { checkBatchRejections, unbatched } from '../batch-rejections.ts';
import { DISCARDED, discardedCommands } from './discarded.ts';

type BatchEvent = Extract<OutgoingEvent, { detailType: 'batch.completed' | 'batch.unresolved' }>;

/**
 * After quiescence: the events about batches and rejected rows agree with the tables. `dead`: commands in the dead-letter
 * queue, perhaps before they could publish anything.
 */
export function checkAnnouncements(
  simulation: Simulation,
  { batches, rejections, events }: ProductTables,
  dead: ReadonlySet<string>,
): void {
  for (const batch of batches.all())
    if (batch.submission !== undefined) checkBatch(simulation, batch, events);
  const said = new Set(
    rowsOf(events, ({ batchId }) => batchId === undefined).map(({ detail, row }) =>
      nameOf({ ...row, commandId: detail.commandId }),
    ),
  );
  const discarded = discardedCommands({ rejections });
  checkBatchRejections(simulation, batches.all(), rejections.values());
  for (const rejection of unbatched(rejections)) {
    const { commandId = '', code } = rejection;
    if (said.has(nameOf(rejection)) || dead.has(commandId)) continue;
    // The command was discarded whole before its rows were reported, and the event says that.
    if (code !== DISCARDED && discarded.has(commandId)) continue;
    simulation.violate(`P2: the rejection ${rejection.rejectionId} (${rejection.code}) is not on the bus`);
  }
}

function checkBatch(simulation: Simulation, batch: BatchRecord, events: readonly OutgoingEvent[]): void {
  const { batchId, state, rows, resolution, finalSummary } = batch;
  checkCommands(simulation, batch, events);
  const isOf = ({ detail }: OutgoingEvent) => 'batchId' in detail && detail.batchId === batchId;
  if (!events.some((event) => event.detailType === 'batch.submitted' && isOf(event))) {
    simulation.violate(`P2: no batch.submitted of ${batchId}`);
  }
  const expected = state === 'unresolved' ? 'batch.unresolved' : 'batch.completed';
  const ends = events.filter((event): event is BatchEvent => event.detailType === expected && isOf(event));
  if (ends.length === 0) simulation.violate(`P2: no ${expected} of ${batchId}`);
  const untrue = ends.filter(({ detail }) => JSON.stringify(detail.rows) !== JSON.stringify(rows));
  // A later summary may leave other rows unknown than were reported first; they are then reported again.
  const isReportedAgain = state === 'unresolved' && untrue.length < ends.length;
  for (const { detail } of isReportedAgain ? [] : untrue) {
    simulation.violate(
      `P4: ${expected} of ${batchId} says ${JSON.stringify(detail.rows)} of ${JSON.stringify(rows)}`,
    );
  }
  // Rows that were rejected when the batch was unresolved may have another outcome since.
  if (resolution !== undefined && finalSummary !== undefined) return;
  const reported = rowsOf(events, (detail) => detail.batchId === batchId).map(({ row }) => nameOf(row));
  const known = batch.rejectedRows.map(nameOf);
  if (textOf(reported) !== textOf(known)) {
    simulation.violate(`P4: rows.rejected of ${batchId} says [${reported}] of [${known}]`);
  }
}

type RejectedEvent = Extract<OutgoingEvent, { detailType: 'rows.rejected' }>;

function rowsOf(
  events: readonly OutgoingEvent[],
  isWanted: (detail: RejectedEvent['detail']) => boolean,
): { detail: RejectedEvent['detail']; row: RejectedEvent['detail']['rows'][number] }[] {
  return events.flatMap((event) => {
    if (event.detailType !== 'rows.rejected' || !isWanted(event.detail)) return [];
    const { detail } = event;
    return detail.rows.map((row) => ({ detail, row }));
  });
}

/** Every event about a batch names the commands whose rows it has. */
function checkCommands(
  simulation: Simulation,
  { batchId, commandId, commandIds }: BatchRecord,
  events: readonly OutgoingEvent[],
): void {
  for (const { detailType, detail } of events) {
    if (!('batchId' in detail) || detail.batchId !== batchId) continue;
    const named = 'commandIds' in detail ? detail.commandIds : undefined;
    if (detail.commandId === commandId && JSON.stringify(named) === JSON.stringify(commandIds)) continue;
    simulation.violate(`P3: ${detailType} of ${batchId} does not name its commands ${commandIds}`);
  }
}

function nameOf(row: Partial<RejectedRow> & { commandId?: string | undefined }): string {
  const { commandId = row.command?.commandId, rowIndex, externalId, id, code } = row;
  return [commandId, row.command?.productIndex, rowIndex, externalId, id, code].join(' ');
}

/** The names, each once, sorted. */
function textOf(names: readonly string[]): string {
  return [...new Set(names)].sort().join('; ');
}
