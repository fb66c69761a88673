import { isRowRetryable } from '../../marketplace/batch.ts';
import type { BatchRecord, RejectedRow } from '../model.ts';
import { isAbout } from './is-about.ts';

/** An event that tells how a batch stands. */
export type Announcement = BatchRecord['announced'][number];

/** The events that a batch's state calls for and that are not known to be on the bus. */
export function dueAnnouncements({ state, announced }: BatchRecord): Announcement[] {
  return announcementsOf(state).filter((announcement) => !announced.includes(announcement));
}

/**
 * The rejected rows that the bus is to hear of: of stock and prices not those that the answer refused for now, as their
 * lane keeps them and sends them again.
 */
export function rejectionsToTell({ kind, rejectedRows, submission }: BatchRecord): readonly RejectedRow[] {
  if (kind !== 'stock' && kind !== 'price') return rejectedRows;
  const kept = (submission?.rejectedRows ?? []).filter(isRowRetryable);
  return rejectedRows.filter((row) => !kept.some((one) => isAbout(one, row)));
}

/** ISO 8601: since when the batch stands as it does. */
export function standsSince({ completedAt, submittedAt }: BatchRecord): string {
  return completedAt ?? submittedAt;
}

function announcementsOf(state: BatchRecord['state']): Announcement[] {
  if (state === 'unmatched' || state === 'matched') return [];
  if (state === 'submitted') return ['batch.submitted'];
  return ['batch.submitted', state === 'unresolved' ? 'batch.unresolved' : 'batch.completed'];
}
