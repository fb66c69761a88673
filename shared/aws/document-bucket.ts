import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { definedOf } from '../collections/defined-of.ts';
import type { DocumentBucket, DocumentDownloads } from '../documents/ports.ts';

/**
 * The document bucket. Its keys are made by `documentKey` (../documents/rules/document-key.ts). S3 checks an object's bytes
 * against their SHA-256 and stores it. An object's metadata are `commandid` (URL-encoded, as S3 allows ASCII only), `includeitems`
 * if its command says it, and `requestid` if the marketplace gave one.
 */
export function createDocumentBucket(bucket: string, s3: S3Client): DocumentBucket {
  const find: DocumentBucket['find'] = async (key) => {
    try {
      const head = await s3.send(
        new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' }),
      );
      const { ContentLength: size = 0, ChecksumSHA256 = '', Metadata = {} } = head;
      return {
        bucket,
        key,
        size,
        sha256: Buffer.from(ChecksumSHA256, 'base64').toString('hex'),
        commandId: decodeURIComponent(Metadata.commandid ?? ''),
        ...(Metadata.includeitems !== undefined && { includeItems: Metadata.includeitems === 'true' }),
        requestId: Metadata.requestid,
      };
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  };
  return {
    find,

    remove: async (key) => {
      // S3's answer to a deletion does not say whether there was an object.
      const isThere = (await find(key)) !== undefined;
      if (isThere) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      return isThere;
    },

    put: async (key, { body, requestId }, commandId, includeItems) => {
      const bytes = await buffer(body);
      const sha256 = hash('sha256', bytes);
      const put = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        // The marketplace's own content type is not used: its parameters may have characters that S3 does not take.
        ContentType: 'application/pdf',
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
        Metadata: {
          commandid: encodeURIComponent(commandId),
          ...(includeItems !== undefined && { includeitems: `${includeItems}` }),
          ...(requestId !== undefined && { requestid: requestId }),
        },
      });
      await s3.send(put);
      const asked = definedOf({ commandId, includeItems });
      return { bucket, key, size: bytes.length, sha256, ...asked, requestId };
    },
  };
}

/** Presigned URLs of the document bucket. They expire at the latest with the function's own session. */
export function createDocumentDownloads(bucket: string, s3: S3Client): DocumentDownloads {
  return {
    urlOf: async (key, seconds) => {
      const fileName = key.split('/').slice(-2).join('-');
      const ResponseContentDisposition = `attachment; filename="${fileName}"`;
      const get = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition });
      return getSignedUrl(s3, get, { expiresIn: seconds });
    },
  };
}
