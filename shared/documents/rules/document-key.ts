import type { DocumentCommand } from '../model.ts';

/** What may be one segment of a key: nothing that a path, a URL or a file name would read as more than a name. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/**
 * Key of a document in the document bucket: `documents/{storeClientId}/{orderId}/{document}.pdf`.
 *
 * @returns `undefined` when the store's or the order's ID can not be part of a key.
 */
export function documentKey({
  storeClientId,
  orderId,
  document,
}: Pick<DocumentCommand, 'storeClientId' | 'orderId' | 'document'>): string | undefined {
  const safe = SEGMENT.test(storeClientId) && SEGMENT.test(orderId);
  return safe ? `documents/${storeClientId}/${orderId}/${document}.pdf` : undefined;
}
