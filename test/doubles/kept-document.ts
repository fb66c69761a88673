import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { IncomingDocument } from '../../shared/marketplace/documents.ts';

/** A document that has arrived whole. */
export interface KeptDocument extends Omit<IncomingDocument, 'body' | 'size'> {
  readonly bytes: Uint8Array;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Reads a document to its end. */
export async function keepDocument({ body, size, ...facts }: IncomingDocument): Promise<KeptDocument> {
  const bytes = await buffer(body);
  if (size !== undefined && bytes.length !== size) throw new Error(`${bytes.length} of ${size} bytes came`);
  return { ...facts, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
