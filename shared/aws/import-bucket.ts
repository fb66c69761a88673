import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { CatalogFiles } from '../products/ports.ts';

/** What S3 answers for an object that is gone, or is not the one that was announced any more. */
const GONE = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed']);

/** The import bucket, read as streams. */
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
