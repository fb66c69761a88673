import { createHash } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { SummaryArchive } from '../batches/ports.ts';
import { ConnectorError } from '../errors/connector-error.ts';

/** Webhook bodies in the archive bucket, under `webhooks/{yyyy-mm-dd}/{sha256}.json`. */
export function createSummaryArchive(client: S3Client, bucket: string): SummaryArchive {
  return {
    put: async (rawBody, receivedAt) => {
      const digest = createHash('sha256').update(rawBody).digest('hex');
      const key = `webhooks/${receivedAt.slice(0, 10)}/${digest}.json`;
      await client.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: rawBody, ContentType: 'application/json' }),
      );
      return key;
    },

    get: async (archiveKey) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: archiveKey }));
      if (Body === undefined) {
        throw new ConnectorError(`${archiveKey} has no body`, { code: 'ARCHIVE_EMPTY', retryable: true });
      }
      return Body.transformToByteArray();
    },
  };
}
