import { placeOfKey } from '../file/announced-file.ts';
import type { ImportRecord } from '../model.ts';

/**
 * A note on what the list of a file's rejections leaves out; `undefined` if the list is complete. A dry run stores no rejections. When
 * the marketplace rejects stock or a price, the value may come from several files and events, so its rejection is not stored under a
 * file.
 */
export function notListedOf({
  importId,
  key,
  reading,
  followed,
}: Pick<ImportRecord, 'importId' | 'key' | 'reading' | 'followed'>): string | undefined {
  const { kind, isDryRun } = placeOfKey(key);
  const where = `see GET /imports/${importId} and its report (connector imports rejects ${importId})`;
  if (isDryRun) return `Rows of a dry run that have a fault are not listed: ${where}.`;
  if (kind === 'catalog' || reading === undefined || reading.sent === 0) return undefined;
  const codes = Object.entries(followed?.rejected ?? {});
  if (codes.length === 0 && followed?.endedAt !== undefined) return undefined;
  const counted =
    codes.length === 0
      ? 'not all of them have an outcome yet'
      : codes.map(([code, count]) => `${code} ${count}`).join(', ');
  return `Rows that the marketplace rejected are not listed by their file. Rejected after they were sent: ${counted}; ${where}.`;
}
