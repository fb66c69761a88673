import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mapConcurrently } from '../collections/for-each-concurrently.ts';
import type { ImportFiles, ImportReports } from '../imports/ports.ts';
import { REPORTS } from '../settings/stack-rules.ts';

/** S3's errors for an object that was deleted or replaced since its event. */
const GONE = new Set(['NoSuchKey', 'PreconditionFailed']);

/** S3's error for a range that begins at the object's end. */
const NO_SUCH_BYTES = 'InvalidRange';

/** Opens files of the import bucket as streams. */
export function createImportBucket(s3: S3Client): ImportFiles {
  return {
    open: async ({ bucket, key, etag }, firstByte) => {
      // No range is asked for from byte 0 on: an empty object has no such byte.
      const range = firstByte > 0 ? { Range: `bytes=${firstByte}-` } : {};
      const get = new GetObjectCommand({ Bucket: bucket, Key: key, IfMatch: `"${etag}"`, ...range });
      try {
        return (await s3.send(get)).Body as Readable;
      } catch (error) {
        if (!(error instanceof S3ServiceException)) throw error;
        if (GONE.has(error.name)) return undefined;
        if (error.name === NO_SUCH_BYTES) return Readable.from([]);
        throw error;
      }
    },

    metadata: async ({ bucket, key, etag }) => {
      const head = new HeadObjectCommand({ Bucket: bucket, Key: key, IfMatch: `"${etag}"` });
      try {
        return (await s3.send(head)).Metadata ?? {};
      } catch (error) {
        // An answer to HEAD has no body, so only the status shows the error.
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
        if (status === 404 || status === 412) return undefined;
        throw error;
      }
    },
  };
}

/** S3's limit. A file's own key may be that long. */
const MAX_KEY_BYTES = 1_024;
const CONTENT_TYPE = 'application/x-ndjson; charset=utf-8';
/** Parts read at a time. */
const READ_CONCURRENCY = 20;

/**
 * Reports in the import bucket: `reports/{key of the file}/{importId}.ndjson`. A file's key that is too long is left out.
 * Parts are not deleted: they expire with the bucket's other objects.
 */
export function createImportReports(s3: S3Client): ImportReports {
  const put = (Bucket: string, Key: string, Body: string) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: CONTENT_TYPE }));
  const partKey = (importId: string, number: number) => `${REPORTS}parts/${importId}/${number}.ndjson`;
  return {
    putPart: async ({ bucket, importId }, number, text) => {
      await put(bucket, partKey(importId, number), text);
    },

    join: async ({ bucket, key, importId }, parts) => {
      const numbers = Array.from({ length: parts }, (_, number) => number);
      const texts = await mapConcurrently(numbers, READ_CONCURRENCY, async (number) => {
        const { Body } = await s3.send(
          new GetObjectCommand({ Bucket: bucket, Key: partKey(importId, number) }),
        );
        return Body?.transformToString() ?? '';
      });
      const named = `${REPORTS}${key}/${importId}.ndjson`;
      const report = Buffer.byteLength(named) <= MAX_KEY_BYTES ? named : `${REPORTS}${importId}.ndjson`;
      await put(bucket, report, texts.join(''));
      return report;
    },
  };
}
