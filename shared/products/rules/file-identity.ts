import { createHash } from 'node:crypto';

/** What tells one put of an object from every other. */
export interface PutFacts {
  readonly bucket: string;
  readonly key: string;
  readonly etag: string;
  readonly versionId?: string | undefined;
  readonly sequencer?: string | undefined;
}

/**
 * ID of the import of one put of an object: the same however often the put is announced, another when the same file
 * is put again.
 */
export function importIdOf({ bucket, key, etag, versionId, sequencer }: PutFacts): string {
  const facts = JSON.stringify([bucket, key, versionId ?? etag, sequencer ?? '']);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}
