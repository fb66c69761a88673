import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { CatalogFiles } from '../products/ports.ts';

/** S3's errors for an object that was deleted or replaced since its event. */
const GONE = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed']);

/** Opens files of the import bucket as streams. */
export function createImportBucket(client: S3Client): CatalogFiles {
  return {
    open: async ({ bucket, key, etag }) => {
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key, IfMatch: `"${etag}"` }),
        );
        return Body instanceof Readable ? Body : Readable.from([]);
      } catch (error) {
        if (error instanceof S3ServiceException && GONE.has(error.name)) return undefined;
        throw error;
      }
    },
  };
}
