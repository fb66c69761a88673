import type { Rejection } from '../../rejections/model.ts';
import { boundedRejection } from '../../rejections/rules/bounded.ts';
import type { RequestFault } from '../../requests/model.ts';
import type { DocumentCommand } from '../model.ts';

/** What names a document command. */
export type DocumentCommandFacts = Pick<
  DocumentCommand,
  'storeClientId' | 'commandId' | 'eventId' | 'time' | 'detailType' | 'orderId' | 'document'
>;

/** A document command that failed, as rejected. */
export function rejectionOfDocument(
  command: DocumentCommandFacts,
  { code, message, field, requestId, details }: RequestFault & { readonly field?: string },
): Rejection {
  const { storeClientId, commandId, eventId, time, detailType, orderId, document } = command;
  const rejectedAt = new Date(time).toISOString();
  return boundedRejection({
    storeClientId,
    rejectionId: `${rejectedAt}#${commandId}#${detailType}`,
    rejectedAt,
    code,
    message,
    ...(field !== undefined && { field }),
    detailType,
    eventId,
    commandId,
    details: {
      orderId,
      document,
      ...(requestId !== undefined && { requestId }),
      ...(details && { context: details }),
    },
  });
}
