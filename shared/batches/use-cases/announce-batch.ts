import { isDeepStrictEqual } from 'node:util';
import { packAll } from '../../collections/packer.ts';
import type { EventPublisher } from '../../events/outgoing.ts';
import { MAX_REJECTED_ROWS_PER_EVENT, type OutgoingEvent } from '../../events/outgoing.ts';
import type { BatchRecord } from '../model.ts';
import type { BatchTable } from '../ports.ts';
import {
  type Announcement,
  dueAnnouncements,
  rejectionsToReport,
  unreported,
} from '../rules/batch-record.ts';

export interface AnnounceBatchPorts {
  readonly batches: Pick<BatchTable, 'update'>;
  readonly events: EventPublisher;
  /** Does what follows from the end of a batch elsewhere, before it is reported; may be called again for the same end. */
  readonly onEnd?: (batch: BatchRecord) => Promise<void>;
}

/** EventBridge takes 1 MB. */
const LIMITS = { maxItems: MAX_REJECTED_ROWS_PER_EVENT, maxBytes: 800_000 };

/**
 * Puts the events that a batch's state calls for on the bus and notes that they are there; what a crash left out is
 * made up for when the batch is next touched, at the latest by the sweeper. An event may come twice, never not at all.
 */
export async function announceBatch(ports: AnnounceBatchPorts, batch: BatchRecord): Promise<void> {
  const due = dueAnnouncements(batch);
  const contradictions = unreported(batch);
  if (due.length === 0 && contradictions.length === 0) return;
  if (due.some((announcement) => announcement !== 'batch.submitted')) await ports.onEnd?.(batch);
  await ports.events.publish([
    ...due.flatMap((announcement) => eventsOf(batch, announcement)),
    ...contradictionsOf(batch),
  ]);
  const digests = new Set(contradictions.map(({ digest }) => digest));
  await ports.batches.update(batch.batchId, (current) => {
    if (current === undefined) return undefined;
    // A summary that came meanwhile may have left other rows unknown than were reported.
    const isTrueStill = isDeepStrictEqual(current.rows, batch.rows);
    const reported = due.filter((event) => isTrueStill || event !== 'batch.unresolved');
    const kept = current.contradictions?.map((one) =>
      digests.has(one.digest) ? { ...one, isReported: true } : one,
    );
    return {
      ...current,
      announced: [...new Set([...current.announced, ...reported])],
      ...(kept && { contradictions: kept }),
    };
  });
}

function eventsOf(batch: BatchRecord, announcement: Announcement): OutgoingEvent[] {
  const facts = factsOf(batch);
  if (facts === undefined) return [];
  const { state, rows, summary } = batch;
  const standing = { ...facts, rows, summary };
  if (announcement === 'batch.submitted' || state === 'submitted') {
    return [{ detailType: 'batch.submitted', detail: standing }];
  }
  const { kind: _, ...ids } = facts;
  const rejections = packAll(rejectionsToReport(batch), LIMITS).map(
    (part): OutgoingEvent => ({ detailType: 'rows.rejected', detail: { ...ids, rows: part } }),
  );
  if (announcement === 'batch.unresolved' || state === 'unmatched' || state === 'matched') {
    return [{ detailType: 'batch.unresolved', detail: standing }, ...rejections];
  }
  return [{ detailType: 'batch.completed', detail: { ...standing, state } }, ...rejections];
}

function contradictionsOf(batch: BatchRecord): OutgoingEvent[] {
  const facts = factsOf(batch);
  const { state, rows } = batch;
  if (
    facts === undefined ||
    (state !== 'completed' && state !== 'completed_with_errors' && state !== 'failed')
  )
    return [];
  return unreported(batch).map(({ summary, rejectedRows, receivedAt, archiveKey }) => ({
    detailType: 'summary.contradicted',
    detail: { ...facts, state, rows, said: { receivedAt, summary, rejectedRows, archiveKey } },
  }));
}

function factsOf({ batchId, kind, storeClientId, requestId, commandId, commandIds }: BatchRecord) {
  if (kind === undefined || storeClientId === undefined) return undefined;
  return {
    storeClientId,
    batchId,
    kind,
    ...(requestId === undefined ? {} : { requestId }),
    ...(commandId === undefined ? {} : { commandId }),
    ...(commandIds === undefined ? {} : { commandIds }),
  };
}
