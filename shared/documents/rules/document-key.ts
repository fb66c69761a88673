import { z } from 'zod';
import type { DocumentCommand } from '../model.ts';

/** What may be one segment of a key: nothing that a path, a URL or a file name would read as more than a name. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** What tells one document from another. */
export type DocumentName = Pick<DocumentCommand, 'storeClientId' | 'orderId' | 'document'>;

/**
 * Key of a document in the document bucket: `documents/{storeClientId}/{orderId}/{document}.pdf`, a UUID in
 * lower case, as its case says nothing.
 *
 * @returns `undefined` when the store's or the order's ID can not be part of a key.
 */
export function documentKey({ storeClientId, orderId, document }: DocumentName): string | undefined {
  const safe = SEGMENT.test(storeClientId) && SEGMENT.test(orderId);
  return safe ? `documents/${storeClientId}/${nameOf(orderId)}/${document}.pdf` : undefined;
}

/** Key of the claim of a document that has a `documentKey`, in the Commands table. */
export function documentClaimKey({ storeClientId, orderId, document }: DocumentName): string {
  return `${storeClientId}#document#${nameOf(orderId)}#${document}`;
}

function nameOf(orderId: string): string {
  return z.guid().safeParse(orderId).success ? orderId.toLowerCase() : orderId;
}
