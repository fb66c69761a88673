import { HeadObjectCommand, PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { DocumentBucket } from '../documents/ports.ts';

/**
 * The document bucket. An object's metadata are `sha256` (lower-case hex), `commandid` (URL-encoded, as S3 takes only
 * ASCII) and `requestid`, where the marketplace gave one.
 */
export function createDocumentBucket(client: S3Client, bucket: string): DocumentBucket {
  return {
    find: async (key) => {
      try {
        const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
        const { sha256 = '', commandid = '', requestid } = head.Metadata ?? {};
        const size = head.ContentLength ?? 0;
        return { bucket, key, size, sha256, commandId: decodeURIComponent(commandid), requestId: requestid };
      } catch (error) {
        if (error instanceof S3ServiceException && error.name === 'NotFound') return undefined;
        throw error;
      }
    },

    put: async (key, { bytes, contentType, sha256, requestId }, commandId) => {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: bytes,
          ContentType: contentType,
          ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
          Metadata: {
            sha256,
            commandid: encodeURIComponent(commandId),
            ...(requestId !== undefined && { requestid: requestId }),
          },
        }),
      );
      return { bucket, key, size: bytes.length, sha256, commandId, requestId };
    },
  };
}
