import { isDeepStrictEqual } from 'node:util';
import { chunk } from '../../collections/chunk.ts';
import { MAX_REJECTED_ROWS_PER_EVENT, type OutgoingEvent } from '../../events/outgoing.ts';
import type { EventPublisher } from '../../events/ports.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import { type Announcement, dueAnnouncements, rejectionsToTell } from '../rules/announcements.ts';

export interface AnnounceBatchPorts {
  readonly batches: Pick<BatchTable, 'update'>;
  readonly events: EventPublisher;
}

/**
 * Puts the events that a batch's state calls for on the bus and notes that they are there; what a crash left out is
 * made up for when the batch is next touched, at the latest by the sweeper. An event may come twice, never not at all.
 */
export async function announceBatch(ports: AnnounceBatchPorts, batch: BatchRecord): Promise<void> {
  const due = dueAnnouncements(batch);
  if (due.length === 0) return;
  await ports.events.publish(due.flatMap((announcement) => eventsOf(batch, announcement)));
  await ports.batches.update(batch.batchId, (current) => {
    if (current === undefined) return undefined;
    // A summary that came meanwhile may have left other rows unknown than were told.
    const isTrueStill = isDeepStrictEqual(current.rows, batch.rows);
    const told = due.filter((event) => isTrueStill || event !== 'batch.unresolved');
    return { ...current, announced: [...new Set([...current.announced, ...told])] };
  });
}

function eventsOf(batch: BatchRecord, announcement: Announcement): OutgoingEvent[] {
  const { batchId, kind, storeClientId, rows, summary, state } = batch;
  if (kind === undefined || storeClientId === undefined) return [];
  if (state === 'unmatched' || state === 'matched') return [];
  const facts = { storeClientId, batchId, ...idsOf(batch) };
  if (announcement === 'batch.submitted' || state === 'submitted') {
    return [{ detailType: 'batch.submitted', detail: { ...facts, kind, rows, summary } }];
  }
  const rejections = chunk(rejectionsToTell(batch), MAX_REJECTED_ROWS_PER_EVENT).map(
    (part): OutgoingEvent => ({ detailType: 'rows.rejected', detail: { ...facts, rows: part } }),
  );
  if (announcement === 'batch.unresolved') {
    return [{ detailType: 'batch.unresolved', detail: { ...facts, kind, rows, summary } }, ...rejections];
  }
  return [{ detailType: 'batch.completed', detail: { ...facts, kind, state, rows, summary } }, ...rejections];
}

function idsOf({ requestId, commandId, commandIds }: BatchRecord) {
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(commandId === undefined ? {} : { commandId }),
    ...(commandIds === undefined ? {} : { commandIds }),
  };
}
