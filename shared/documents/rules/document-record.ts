import type { DocumentRecord, OrderRecord } from '../../orders/model.ts';
import { orderKeyOf } from '../../orders/rules/order-key.ts';
import type { DocumentCommand, DocumentOutcome } from '../model.ts';

/** The order with the last outcome of one of its documents. `at` is ISO 8601. */
export function orderWithDocument(
  current: OrderRecord | undefined,
  {
    storeClientId,
    commandId,
    orderId,
    document,
  }: Pick<DocumentCommand, 'storeClientId' | 'commandId' | 'orderId' | 'document'>,
  outcome: DocumentOutcome,
  at: string,
): OrderRecord {
  const record: DocumentRecord = { commandId, at, ...factsOf(outcome) };
  return {
    storeClientId,
    orderKey: orderKeyOf({ orderId }),
    orderId,
    ...current,
    documents: { ...current?.documents, [document]: record },
  };
}

function factsOf(outcome: DocumentOutcome): Omit<DocumentRecord, 'commandId' | 'at'> {
  if ('failure' in outcome) {
    const { code, message, requestId } = outcome.failure;
    return { state: 'failed', code, message, ...(requestId !== undefined && { requestId }) };
  }
  const { key, sha256, requestId } = outcome.stored;
  return { state: 'stored', key, sha256, ...(requestId !== undefined && { requestId }) };
}
