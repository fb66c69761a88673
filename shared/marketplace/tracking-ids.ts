import { createHash } from 'node:crypto';
import * as z from 'zod';

/** Longest ID in bytes that fits into a table's key behind a prefix. */
const MAX_ID_BYTES = 500;

/** A number beyond the safe integers is not an ID: several such numbers are read as the same one. */
const writtenId = z.union([z.string().min(1), z.int().transform(String)]);

/**
 * An ID that tracks progress (§1). Some senders write it as a number. An empty ID counts as absent. In answers and summaries a digest
 * replaces an ID that is too long for a key, begins like one of our own keys, or can't be in the path of `GET /batches/{batchId}`, which
 * API Gateway decodes.
 */
export const trackingId = writtenId
  .transform((id) => (/^(?:request|rows):/.test(id) || !fitsPath(id) ? digestOf(id) : shortened(id)))
  .optional()
  .catch(undefined);

/** The ID of a store in a summary. A digest replaces an ID that is too long for a key. */
export const namedStore = writtenId.transform(shortened).optional().catch(undefined);

function fitsPath(id: string): boolean {
  return !id.includes('/') && id !== '.' && id !== '..' && id.isWellFormed();
}

function shortened(id: string): string {
  return Buffer.byteLength(id) > MAX_ID_BYTES ? digestOf(id) : id;
}

function digestOf(id: string): string {
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}
