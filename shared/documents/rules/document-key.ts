import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DocumentCommand } from '../model.ts';

/** What tells one document from another. */
export type DocumentName = Pick<DocumentCommand, 'storeClientId' | 'orderId' | 'document'>;

/**
 * Key of a document in the document bucket: `documents/{storeClientId}/{orderId}/{document}.pdf`, a UUID in
 * lower case, as its case says nothing. What a path, a URL or a file name would read as more than a name is written as
 * its bytes, `!3A` for a colon.
 */
export function documentKey({ storeClientId, orderId, document }: DocumentName): string {
  const isUuid = z.guid().safeParse(orderId).success;
  const order = isUuid ? orderId.toLowerCase() : orderId;
  return `documents/${segmentOf(storeClientId)}/${segmentOf(order)}/${document}.pdf`;
}

/** What an order ID may be: nothing that a path or a URL would read as more than a name. */
const ORDER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Why a document of an order with this ID can't be asked for; `undefined` where it can. */
export function orderIdFault(orderId: string): { code: string; message: string; field: string } | undefined {
  if (ORDER_ID.test(orderId)) return undefined;
  const message = 'an order ID has letters, digits, dots, hyphens and underscores only';
  return { code: 'ORDER_ID_INVALID', message, field: 'detail.orderId' };
}

/** All but letters, digits and, where they are not the first, dots, hyphens and underscores. */
const NOT_OF_A_NAME = /^[^A-Za-z0-9]|[^A-Za-z0-9._-]/gu;
/** Longest segment, in characters: a key of S3 has up to 1,024 bytes. */
const MAX_SEGMENT = 400;

function segmentOf(id: string): string {
  const segment = id.replace(NOT_OF_A_NAME, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `!${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
  if (segment.length <= MAX_SEGMENT) return segment;
  // No other segment has two exclamation marks side by side.
  return `${segment.slice(0, MAX_SEGMENT / 2)}!!${createHash('sha256').update(id).digest('hex')}`;
}
