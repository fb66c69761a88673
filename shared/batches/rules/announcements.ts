import { isRowRetryable } from '../../marketplace/batch.ts';
import type { BatchRecord, Contradiction, RejectedRow } from '../model.ts';
import { isEnded } from './batch-record.ts';

/** An event that reports how a batch stands. */
export type Announcement = BatchRecord['announced'][number];

/** The events that a batch's state calls for and that are not known to be on the bus. */
export function dueAnnouncements({ state, announced }: BatchRecord): Announcement[] {
  return announcementsOf(state).filter((announcement) => !announced.includes(announcement));
}

/** Summaries that contradict the end of the batch, and are not known to be reported. */
export function unreported({ state, contradictions = [] }: BatchRecord): Contradiction[] {
  return isEnded(state) ? contradictions.filter(({ isReported }) => !isReported) : [];
}

/** ISO 8601: since when an event about the batch is due; `undefined` where none is. */
export function dueSince(batch: BatchRecord): string | undefined {
  const { completedAt, submittedAt } = batch;
  if (dueAnnouncements(batch).length > 0) return completedAt ?? submittedAt;
  return unreported(batch)
    .map(({ receivedAt }) => receivedAt)
    .sort()[0];
}

/**
 * The rejected rows that are reported: of stock and prices not those that the answer refused for now, as their lane keeps
 * them and sends them again.
 */
export function rejectionsToReport({ kind, rejectedRows }: BatchRecord): readonly RejectedRow[] {
  if (kind !== 'stock' && kind !== 'price') return rejectedRows;
  return rejectedRows.filter((row) => !isRowRetryable(row));
}

function announcementsOf(state: BatchRecord['state']): Announcement[] {
  if (state === 'unmatched' || state === 'matched') return [];
  if (state === 'submitted') return ['batch.submitted'];
  return ['batch.submitted', state === 'unresolved' ? 'batch.unresolved' : 'batch.completed'];
}
