import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { DocumentBucket, DocumentDownloads } from '../documents/ports.ts';
import {
  AwsError,
  type AwsRequestOptions,
  createAwsOpener,
  objectPath,
  presignedUrl,
} from './aws-request.ts';

/**
 * The document bucket. S3 checks an object's bytes against their SHA-256 and stores it. An object's metadata are
 * `commandid` (URL-encoded, as S3 allows ASCII only) and, if the marketplace gave one, `requestid`.
 */
export function createDocumentBucket(bucket: string, open = createAwsOpener()): DocumentBucket {
  const ask = async (method: 'HEAD' | 'PUT', key: string, headers: Record<string, string>, body?: Buffer) => {
    const path = objectPath(bucket, key);
    const answer = await open({ service: 's3', method, path, headers, ...(body && { body }) });
    return answer.resume().headers;
  };
  return {
    find: async (key) => {
      try {
        const head = await ask('HEAD', key, { 'X-Amz-Checksum-Mode': 'ENABLED' });
        const { 'x-amz-meta-commandid': commandId = '', 'x-amz-meta-requestid': requestId } = head;
        return {
          bucket,
          key,
          size: Number(head['content-length']),
          sha256: Buffer.from(String(head['x-amz-checksum-sha256'] ?? ''), 'base64').toString('hex'),
          commandId: decodeURIComponent(String(commandId)),
          requestId: requestId && String(requestId),
        };
      } catch (error) {
        if (error instanceof AwsError && error.status === 404) return undefined;
        throw error;
      }
    },

    put: async (key, { body, requestId }, commandId) => {
      const bytes = await buffer(body);
      const sha256 = hash('sha256', bytes);
      const headers = {
        // Not the marketplace's header: a parameter of it may have characters that S3 does not take.
        'Content-Type': 'application/pdf',
        'X-Amz-Content-Sha256': sha256,
        'X-Amz-Checksum-Sha256': Buffer.from(sha256, 'hex').toString('base64'),
        'X-Amz-Meta-Commandid': encodeURIComponent(commandId),
        ...(requestId !== undefined && { 'X-Amz-Meta-Requestid': requestId }),
      };
      await ask('PUT', key, headers, bytes);
      return { bucket, key, size: bytes.length, sha256, commandId, requestId };
    },
  };
}

/** Presigned URLs of the document bucket. They expire with the function's own session at the latest. */
export function createDocumentDownloads(bucket: string, options?: AwsRequestOptions): DocumentDownloads {
  return {
    urlOf: async (key, seconds) => {
      const fileName = key.split('/').slice(-2).join('-');
      const disposition = encodeURIComponent(`attachment; filename="${fileName}"`);
      const path = `${objectPath(bucket, key)}?response-content-disposition=${disposition}`;
      return presignedUrl({ service: 's3', method: 'GET', path }, seconds, options);
    },
  };
}
