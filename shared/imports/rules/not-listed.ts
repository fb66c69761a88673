import { placeOfKey } from '../file/announced-file.ts';
import type { ImportRecord } from '../model.ts';

/**
 * What the list of a file's rejections lacks, if it may lack some: a row of stock or prices that the marketplace rejected has the newest
 * value of maybe several files and events, so that it has no key of its file; a dry run has no rejections.
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
