import { createHash } from 'node:crypto';
import { ARCHIVED } from '../../settings/stack-rules.ts';
import type { IsoTime } from '../../time/times.ts';

/**
 * Key under which the archive bucket has the rows of a request. Every try has the same key.
 *
 * @param createdAt ISO 8601: when the request's record was created.
 */
export function requestKeyOf(recordId: string, createdAt: IsoTime): string {
  const name = createHash('sha256').update(recordId).digest('hex');
  return `${ARCHIVED.requests}${createdAt.slice(0, 10)}/${name}.json`;
}
