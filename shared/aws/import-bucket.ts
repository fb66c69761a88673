import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { CatalogFiles } from '../products/ports.ts';

/** S3's errors for an object that was deleted or replaced since its event. */
const GONE = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed']);

/** S3's error for a range that begins at the object's end. */
const NO_SUCH_BYTES = 'InvalidRange';

/** Opens files of the import bucket as streams. */
export function createImportBucket(client: S3Client): CatalogFiles {
  return {
    open: async ({ bucket, key, etag }, firstByte) => {
      // An empty object has no byte 0 that could be asked for.
      const range = firstByte > 0 ? { Range: `bytes=${firstByte}-` } : {};
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key, IfMatch: `"${etag}"`, ...range }),
        );
        return Body instanceof Readable ? Body : Readable.from([]);
      } catch (error) {
        if (!(error instanceof S3ServiceException)) throw error;
        if (GONE.has(error.name)) return undefined;
        if (error.name === NO_SUCH_BYTES) return Readable.from([]);
        throw error;
      }
    },
  };
}
