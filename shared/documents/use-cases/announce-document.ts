import { definedOf } from '../../collections/defined-of.ts';
import { type DocumentRecord, orderKeyOf } from '../../orders/model.ts';
import type { Rejection } from '../../rejections/model.ts';
import type { RequestFault } from '../../requests/model.ts';
import { type CommandFault, rejectionOfCommand } from '../../requests/rules/rejection.ts';
import type { DocumentCommand, DocumentOutcome } from '../model.ts';
import type { DocumentPorts } from '../ports.ts';

/** Stores the outcome of a document command in its order's record, and publishes it. */
export async function announceDocument(
  ports: DocumentPorts,
  command: DocumentCommand,
  outcome: DocumentOutcome,
): Promise<void> {
  const { storeClientId, commandId, orderId, document } = command;
  const at = new Date(ports.clock.now()).toISOString();
  const orderKey = orderKeyOf({ orderId });
  const record = recordOf(outcome, commandId, at);
  await ports.orders.update(storeClientId, orderKey, (current) => ({
    storeClientId,
    orderKey,
    orderId,
    ...current,
    documents: { ...current?.documents, [document]: record },
  }));
  if ('failure' in outcome) return void (await reportFailure(ports, command, outcome.failure));
  const { bucket, key, size, sha256, requestId } = outcome.stored;
  const of = { storeClientId, commandId, orderId, document };
  const detail = definedOf({ ...of, bucket, key, size, sha256, requestId });
  await ports.events.publish([{ detailType: 'document.stored', detail }]);
}

/** Stores a failure as a rejection, and publishes it. */
export async function reportFailure(
  ports: Pick<DocumentPorts, 'rejections' | 'events'>,
  command: DocumentCommand,
  failure: CommandFault & Pick<RequestFault, 'requestId'>,
): Promise<Rejection> {
  const { storeClientId, commandId, orderId, document } = command;
  const { requestId, details: context } = failure;
  const further = definedOf({ requestId, context });
  const rejection = rejectionOfCommand(command, { ...failure, details: { orderId, document, ...further } });
  await ports.rejections.putAll([rejection]);
  const { code, message } = rejection;
  const detail = { storeClientId, commandId, orderId, document, code, message, ...further };
  await ports.events.publish([{ detailType: 'document.failed', detail }]);
  return rejection;
}

/** The outcome as the order's record has it. */
function recordOf(outcome: DocumentOutcome, commandId: string, at: string): DocumentRecord {
  if ('failure' in outcome) {
    const { code, message, requestId } = outcome.failure;
    return definedOf({ state: 'failed', commandId, at, code, message, requestId });
  }
  const { key, sha256, requestId } = outcome.stored;
  return definedOf({ state: 'stored', commandId, at, key, sha256, requestId });
}
