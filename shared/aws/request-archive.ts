import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { z } from 'zod';
import type { RequestArchive } from '../batches/ports.ts';

const rowsSchema = z.array(z.unknown());

/** What was sent in bulk requests, in the archive bucket under `requests/{yyyy-mm-dd}/{attemptId}.json`. */
export function createRequestArchive(client: S3Client, bucket: string): RequestArchive {
  return {
    put: async (attemptId, rows, at) => {
      const key = `requests/${at.slice(0, 10)}/${attemptId}.json`;
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: JSON.stringify(rows),
          ContentType: 'application/json',
        }),
      );
      return key;
    },

    get: async (requestKey) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: requestKey }));
        return rowsSchema.parse(JSON.parse((await Body?.transformToString()) ?? ''));
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
  };
}
