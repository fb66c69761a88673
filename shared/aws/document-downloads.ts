import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DocumentDownloads } from '../documents/ports.ts';

/** Presigned URLs of the document bucket. They end with the function's own session if that ends sooner. */
export function createDocumentDownloads(client: S3Client, bucket: string): DocumentDownloads {
  return {
    urlOf: (key, seconds) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ResponseContentDisposition: `attachment; filename="${key.split('/').slice(-2).join('-')}"`,
        }),
        { expiresIn: seconds },
      ),
  };
}
