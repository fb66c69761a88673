import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { z } from 'zod';
import type { RequestArchive } from '../batches/ports.ts';

const rowsSchema = z.array(z.unknown());

/** What was sent in bulk requests, in the archive bucket under the keys of `requestKeyOf`. */
export function createRequestArchive(client: S3Client, bucket: string): RequestArchive {
  return {
    put: async (requestKey, rows) => {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: requestKey,
          Body: JSON.stringify(rows),
          ContentType: 'application/json',
        }),
      );
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
