import { isDeepStrictEqual } from 'node:util';
import { definedOf } from '../../collections/defined-of.ts';
import { packAll } from '../../collections/packer.ts';
import { type OutgoingEvent, REJECTED_ROWS_LIMITS } from '../../events/outgoing.ts';
import { isRowRetryable } from '../../marketplace/batch.ts';
import type { IsoTime } from '../../time/times.ts';
import type { BatchRecord, Contradiction, RejectedRow } from '../model.ts';
import { isBatchEnded } from './batch-record.ts';

export type Announcement = BatchRecord['announced'][number];

/** The events that a batch's state requires and that were not published yet. */
export function dueAnnouncements({ state, announced }: BatchRecord): Announcement[] {
  if (state === 'unmatched' || state === 'matched' || state === 'discarded') return [];
  const due: Announcement[] = ['batch.submitted'];
  if (state !== 'submitted') due.push(state === 'unresolved' ? 'batch.unresolved' : 'batch.completed');
  return due.filter((announcement) => !announced.includes(announcement));
}

/** Contradicting summaries that were not published yet. */
export function unreported({ state, contradictions = [] }: BatchRecord): Contradiction[] {
  return isBatchEnded(state) ? contradictions.filter(({ isReported }) => !isReported) : [];
}

/** Since when an event about the batch is due; `undefined` if none is. */
export function dueSince(batch: BatchRecord): IsoTime | undefined {
  const { completedAt, submittedAt } = batch;
  if (dueAnnouncements(batch).length > 0) return completedAt ?? submittedAt;
  return unreported(batch)
    .map(({ receivedAt }) => receivedAt)
    .sort()[0];
}

/** The rejected rows to report. Retryable rows of stock and prices are not reported: their lane sends them again. */
export function rejectionsToReport({ kind, rejectedRows }: BatchRecord): readonly RejectedRow[] {
  if (kind !== 'stock' && kind !== 'price') return rejectedRows;
  return rejectedRows.filter((row) => !isRowRetryable(row));
}

export function eventsOf(
  batch: BatchRecord,
  due: readonly Announcement[],
  contradictions: readonly Contradiction[],
): OutgoingEvent[] {
  const { batchId, kind, storeClientId, requestId, commandId, commandIds, state, rows, summary } = batch;
  if (kind === undefined || storeClientId === undefined) return [];
  const ids = { storeClientId, batchId, ...definedOf({ requestId, commandId, commandIds }) };
  const common = { ...ids, kind, rows, summary };
  const events: OutgoingEvent[] = [];
  for (const detailType of due) {
    if (detailType !== 'batch.completed') events.push({ detailType, detail: common });
    else if (isBatchEnded(state)) events.push({ detailType, detail: { ...common, state } });
    const rejections = detailType === 'batch.submitted' ? [] : rejectionsToReport(batch);
    for (const part of packAll(rejections, REJECTED_ROWS_LIMITS)) {
      events.push({ detailType: 'rows.rejected', detail: { ...ids, rows: part } });
    }
  }
  for (const { isReported: _, digest: __, requestId: ___, ...said } of contradictions) {
    if (!isBatchEnded(state)) break;
    events.push({ detailType: 'summary.contradicted', detail: { ...ids, kind, state, rows, said } });
  }
  return events;
}

/** The newest record of a batch after the events that were due for `batch` were published. */
export function withAnnounced(
  current: BatchRecord,
  batch: BatchRecord,
  due: readonly Announcement[],
  contradictions: readonly Contradiction[],
): BatchRecord {
  // A summary that came meanwhile may have changed which rows are unknown.
  const isCurrent = isDeepStrictEqual(current.rows, batch.rows);
  const reported = due.filter((event) => isCurrent || event !== 'batch.unresolved');
  const digests = new Set(contradictions.map(({ digest }) => digest));
  const kept = current.contradictions?.map((one) =>
    digests.has(one.digest) ? { ...one, isReported: true } : one,
  );
  return {
    ...current,
    announced: [...new Set([...current.announced, ...reported])],
    ...(kept && { contradictions: kept }),
  };
}
