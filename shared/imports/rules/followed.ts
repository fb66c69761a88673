import { placeOfKey } from '../file/announced-file.ts';
import type { FollowedRows, ImportRecord } from '../model.ts';

/** Before the first look. */
export const notFollowed: FollowedRows = { accepted: 0, superseded: 0, rejected: {}, batches: [] };

/** Whether the rows of a file that was read to its end are followed one by one. Those of catalogs are followed by their requests. */
export function isFollowed({ key, reading }: Pick<ImportRecord, 'key' | 'reading'>): boolean {
  const { kind, isDryRun } = placeOfKey(key);
  return kind !== 'catalog' && !isDryRun && reading !== undefined && reading.sent > 0;
}
