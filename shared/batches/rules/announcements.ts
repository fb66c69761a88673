import type { BatchRecord } from '../model.ts';

/** An event that tells how a batch stands. */
export type Announcement = BatchRecord['announced'][number];

/** The events that a batch's state calls for and that are not known to be on the bus. */
export function dueAnnouncements({ state, announced }: BatchRecord): Announcement[] {
  return announcementsOf(state).filter((announcement) => !announced.includes(announcement));
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
