import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AnnouncedFile } from '../ports.ts';
import { CatalogFileFault, type CatalogFormat } from './model.ts';

/** S3's event "Object Created" on the default event bus. Its key is not URL-encoded. */
export const objectCreatedSchema = z
  .looseObject({
    id: z.string().min(1),
    time: z.iso.datetime({ offset: true }),
    'detail-type': z.literal('Object Created'),
    detail: z.looseObject({
      bucket: z.looseObject({ name: z.string().min(1) }),
      object: z.looseObject({
        key: z.string().min(1),
        etag: z.string().min(1),
        'version-id': z.string().optional(),
        sequencer: z.string().optional(),
      }),
    }),
  })
  .transform(
    ({ id, time, detail: { bucket, object } }): AnnouncedFile => ({
      eventId: id,
      time,
      bucket: bucket.name,
      key: object.key,
      etag: object.etag,
      versionId: object['version-id'],
      sequencer: object.sequencer,
    }),
  );

const KEY = /^catalog\/(?<storeClientId>[^/]{1,200})\/.*[^/]$/s;
const TYPES = '.ndjson, .json or .csv, with or without .gz';
const EXTENSION = /\.(?<format>ndjson|json|csv)(?<gzip>\.gz)?$/i;

export interface CatalogObjectName {
  readonly storeClientId: string;
  readonly format: CatalogFormat;
  readonly gzip: boolean;
}

/**
 * Reads `catalog/{storeClientId}/….{ndjson,json,csv}[.gz]`.
 *
 * @param key the object's key, not URL-encoded.
 * @throws {CatalogFileFault} FILE_KEY_INVALID, FILE_TYPE_UNKNOWN
 */
export function readCatalogKey(key: string): CatalogObjectName {
  const storeClientId = storeOfKey(key);
  if (storeClientId === undefined) {
    throw new CatalogFileFault(
      'FILE_KEY_INVALID',
      `the key must be catalog/{storeClientId}/… and end in ${TYPES}`,
    );
  }
  const extension = EXTENSION.exec(key)?.groups;
  if (extension === undefined) {
    throw new CatalogFileFault('FILE_TYPE_UNKNOWN', `the key must end in ${TYPES}`);
  }
  const format = extension.format?.toLowerCase() as CatalogFormat;
  return { storeClientId, format, gzip: extension.gzip !== undefined };
}

/** The store in a key of any file under `catalog/`; `undefined` for another key. */
export function storeOfKey(key: string): string | undefined {
  return KEY.exec(key)?.groups?.storeClientId;
}

/** ID of the import of one put of an object. Redeliveries of its event give the same ID, another put a different one. */
export function importIdOf({
  bucket,
  key,
  etag,
  versionId,
  sequencer,
}: Pick<AnnouncedFile, 'bucket' | 'key' | 'etag' | 'versionId' | 'sequencer'>): string {
  const facts = JSON.stringify([bucket, key, versionId ?? etag, sequencer ?? '']);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}
