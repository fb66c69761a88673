import { createHash } from 'node:crypto';

/**
 * Key in the archive bucket of the rows that a step of a command sends: the same at every try.
 *
 * @param step key of the step.
 * @param startedAt ISO 8601; when it was begun for the first time.
 */
export function requestKeyOf(step: string, startedAt: string): string {
  const name = createHash('sha256').update(step).digest('hex');
  return `requests/${startedAt.slice(0, 10)}/${name}.json`;
}
