import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { DocumentCommand } from '../model.ts';

export type DocumentName = Pick<DocumentCommand, 'storeClientId' | 'orderId' | 'document'>;

/**
 * Key of a document in the document bucket: `documents/{storeClientId}/{orderId}/{document}.pdf`, where `{document}` is
 * `shipping-label` or `invoice`. An order ID that is a UUID is in lower case. Characters with a meaning in paths, URLs or file
 * names are escaped as their bytes: `!3A` for a colon.
 */
export function documentKey({ storeClientId, orderId, document }: DocumentName): string {
  const isUuid = z.guid().safeParse(orderId).success;
  const order = isUuid ? orderId.toLowerCase() : orderId;
  return `documents/${segmentOf(storeClientId)}/${segmentOf(order)}/${document}.pdf`;
}

/** Valid order IDs: no characters with a meaning in paths or URLs. */
const ORDER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** The fault of an invalid order ID; `undefined` for a valid one. */
export function orderIdFault(orderId: string): { code: string; message: string; field: string } | undefined {
  if (ORDER_ID.test(orderId)) return undefined;
  const message = 'an order ID may have only letters, digits, dots, hyphens and underscores';
  return { code: 'ORDER_ID_INVALID', message, field: 'detail.orderId' };
}

/** Characters to escape. Letters and digits stay; dots, hyphens and underscores stay unless they are first. */
const NOT_OF_A_NAME = /^[^A-Za-z0-9]|[^A-Za-z0-9._-]/gu;
/** Longest segment, in characters. A key of S3 has at most 1,024 bytes. */
const MAX_SEGMENT = 400;

function segmentOf(id: string): string {
  const segment = id.replace(NOT_OF_A_NAME, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `!${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
  if (segment.length <= MAX_SEGMENT) return segment;
  // No escaped segment contains `!!`.
  return `${segment.slice(0, MAX_SEGMENT / 2)}!!${createHash('sha256').update(id).digest('hex')}`;
}
