import { z } from 'zod';
import type { AnnouncedFile } from './ports.ts';

/**
 * "Object Created" as S3 puts it on the default event bus, read into the put that it announces; its key is not
 * URL-encoded.
 */
export const objectCreatedSchema = z
  .looseObject({
    id: z.string().min(1),
    time: z.iso.datetime({ offset: true }),
    'detail-type': z.literal('Object Created'),
    detail: z.looseObject({
      bucket: z.looseObject({ name: z.string().min(1) }),
      object: z.looseObject({
        key: z.string().min(1),
        etag: z.string().min(1),
        'version-id': z.string().optional(),
        sequencer: z.string().optional(),
      }),
    }),
  })
  .transform(
    ({ id, time, detail: { bucket, object } }): AnnouncedFile => ({
      eventId: id,
      time,
      bucket: bucket.name,
      key: object.key,
      etag: object.etag,
      versionId: object['version-id'],
      sequencer: object.sequencer,
    }),
  );
