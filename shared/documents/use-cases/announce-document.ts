import type { OrderTable } from '../../orders/ports.ts';
import { orderKeyOf } from '../../orders/rules/order-key.ts';
import type { ReportRejectionsPorts } from '../../rejections/use-cases/report-rejections.ts';
import type { DocumentCommand, DocumentOutcome } from '../model.ts';
import { orderWithDocument } from '../rules/document-record.ts';
import { rejectionOfDocument } from '../rules/document-rejection.ts';

export interface AnnounceDocumentPorts extends ReportRejectionsPorts {
  readonly orders: Pick<OrderTable, 'update'>;
  readonly clock: { now(): number };
}

/** Keeps what became of a document with its order, and says it on the bus; a failure is kept as a rejection too. */
export async function announceDocument(
  ports: AnnounceDocumentPorts,
  command: DocumentCommand,
  outcome: DocumentOutcome,
): Promise<void> {
  const { storeClientId, commandId, orderId, document } = command;
  const at = new Date(ports.clock.now()).toISOString();
  if (isAboutOrder(outcome)) {
    await ports.orders.update(storeClientId, orderKeyOf({ orderId }), (current) =>
      orderWithDocument(current, command, outcome, at),
    );
  }
  const facts = { storeClientId, commandId, orderId, document };
  if ('failure' in outcome) {
    const { code, message, requestId, context } = outcome.failure;
    await ports.rejections.putAll([rejectionOfDocument(command, outcome.failure)]);
    const refusal = {
      code,
      message,
      ...(requestId !== undefined && { requestId }),
      ...(context && { context }),
    };
    const detail = { ...facts, ...refusal };
    return ports.events.publish([{ detailType: 'document.failed', detail }]);
  }
  const { bucket, key, size, sha256, requestId } = outcome.stored;
  const detail = { ...facts, bucket, key, size, sha256, ...(requestId !== undefined && { requestId }) };
  await ports.events.publish([{ detailType: 'document.stored', detail }]);
}

/** A failure that names a field of the command says nothing of the order: there may be no such order, or store. */
function isAboutOrder(outcome: DocumentOutcome): boolean {
  return !('failure' in outcome) || outcome.failure.field === undefined;
}
