import { isObject } from '../../collections/is-object.ts';
import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { DocumentCommand, DocumentFailure } from '../model.ts';

const DETAIL_TYPE = 'order.document.requested';

/** A document command that failed for good, as rejected. */
export function rejectionOfDocument(
  command: DocumentCommand,
  { code, message, field, requestId, context }: DocumentFailure,
): Rejection {
  const { storeClientId, commandId, eventId, time, orderId, document } = command;
  const rejectedAt = new Date(time).toISOString();
  return boundedRejection({
    storeClientId,
    rejectionId: `${rejectedAt}#${commandId}#${DETAIL_TYPE}`,
    rejectedAt,
    code,
    message,
    ...(field !== undefined && { field }),
    detailType: DETAIL_TYPE,
    eventId,
    commandId,
    details: {
      orderId,
      document,
      ...(requestId !== undefined && { requestId }),
      ...(context && { context }),
    },
  });
}

/** The failure that a rejection of a document command tells of. */
export function failureOf({ code, message, field, details = {} }: Rejection): DocumentFailure {
  const { requestId, context } = details;
  return {
    code,
    message,
    ...(field !== undefined && { field }),
    ...(typeof requestId === 'string' && { requestId }),
    ...(isObject(context) && { context }),
  };
}
