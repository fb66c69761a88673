import { ConnectorError } from '../../errors/connector-error.ts';
import type { SaveDocument } from '../../marketplace/documents.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import type { RecordAttempt, RequestToSend } from '../../requests/domain.ts';
import { locked } from '../../requests/model.ts';
import type { DocumentCommand, StoredDocument } from '../model.ts';
import type { DocumentPorts } from '../ports.ts';
import { documentKey } from '../rules/document-key.ts';

/** Milliseconds for which a document is locked: more than the timeout of the function that fetches it. */
export const DOCUMENT_LOCK_MS = 90_000;

/**
 * Fetches a document of an order into the document bucket, for one command at a time. A stored document is fetched again
 * only if the command has `refresh`.
 *
 * @throws {ConnectorError} DOCUMENT_BUSY, retryable, while another command fetches it.
 * @throws {MarketplaceError} of the call.
 */
export async function fetchDocument(
  ports: DocumentPorts,
  command: DocumentCommand,
  { store, senderId }: Pick<RequestToSend, 'store' | 'senderId'>,
  recordAttempt: RecordAttempt,
): Promise<StoredDocument> {
  const key = documentKey(command);
  await lock(ports, key, senderId, command);
  // If the release fails, the lock expires: the document must not be lost.
  const release = () => unlock(ports, key, senderId).catch(() => undefined);
  try {
    const found = await ports.documents.find(key);
    const stored =
      found && !needsFetch(found, command) ? found : await generate(ports, command, store, recordAttempt);
    await release();
    return stored;
  } catch (error) {
    // After any other error the bucket may still be storing the document.
    if (error instanceof MarketplaceError || error instanceof ConnectorError) await release();
    throw error;
  }
}

/** A document that an earlier delivery of the same command has stored is fresh. */
export function needsFetch({ commandId }: StoredDocument, command: DocumentCommand): boolean {
  return command.refresh === true && commandId !== command.commandId;
}

function generate(
  { calls, documents }: DocumentPorts,
  command: DocumentCommand,
  store: StoreCredentials,
  recordAttempt: RecordAttempt,
): Promise<StoredDocument> {
  const { document, orderId, includeItems, commandId } = command;
  const save: SaveDocument<StoredDocument> = (incoming) =>
    documents.put(documentKey(command), incoming, commandId);
  const options = { onAttempt: recordAttempt };
  return document === 'invoice'
    ? calls.generateInvoice(store, { orderId }, save, options)
    : calls.generateShippingLabel(store, { orderId, includeItems }, save, options);
}

async function lock(
  { locks, clock }: DocumentPorts,
  key: string,
  holder: string,
  { document, orderId }: DocumentCommand,
): Promise<void> {
  const taken = await locks.update(key, (current) => {
    const now = clock.now();
    const next = locked(current?.lock, holder, { now, until: now + DOCUMENT_LOCK_MS });
    return next && { lock: next, updatedAt: new Date(now).toISOString() };
  });
  if (taken?.lock?.holder === holder) return;
  throw new ConnectorError(`the ${document} of order ${orderId} is being fetched`, {
    code: 'DOCUMENT_BUSY',
    retryable: true,
  });
}

async function unlock({ locks, clock }: DocumentPorts, key: string, holder: string): Promise<void> {
  const updatedAt = new Date(clock.now()).toISOString();
  await locks.update(key, (current) => (current?.lock?.holder === holder ? { updatedAt } : undefined));
}
