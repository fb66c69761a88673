import { type SendAgainPorts, sendAgain } from '../../commands/use-cases/send-again.ts';
import type { DocumentKeeper } from '../../marketplace/documents.ts';
import { MarketplaceError } from '../../marketplace/errors.ts';
import type { StoreCredentials } from '../../marketplace/request.ts';
import { boundedDetails, boundedText } from '../../rejections/rules/bounded.ts';
import { unknownStore } from '../../stores/rules/unknown-store.ts';
import {
  discardedFault,
  type ForConnectedStorePorts,
  forConnectedStore,
} from '../../stores/use-cases/for-connected-store.ts';
import type { Clock } from '../../time/clock.ts';
import type { DocumentCommand, DocumentOutcome, StoredDocument } from '../model.ts';
import type { DocumentBucket, DocumentCalls } from '../ports.ts';
import { documentKey } from '../rules/document-key.ts';
import { isFinalRefusal } from '../rules/final-refusal.ts';
import { type WhileClaimedPorts, whileClaimed } from './while-claimed.ts';

export interface FetchDocumentPorts extends ForConnectedStorePorts, SendAgainPorts, WhileClaimedPorts {
  readonly documents: DocumentBucket;
  readonly calls: DocumentCalls;
  readonly clock: Clock;
}

/**
 * Fetches a document of an order into the document bucket, one command at a time for each document. One that is stored
 * is not fetched again, unless the command asks to.
 *
 * @param sendWithinMs as `withinMs` of `sendAgain`.
 * @throws {ConnectorError | MarketplaceError} when it is to be tried again by a later delivery: DOCUMENT_BUSY while
 * another command fetches it.
 */
export async function fetchDocument(
  ports: FetchDocumentPorts,
  command: DocumentCommand,
  sendWithinMs?: number,
): Promise<DocumentOutcome> {
  const work = async (store: StoreCredentials): Promise<DocumentOutcome> => {
    const key = documentKey(command);
    if (key === undefined) {
      const message = 'an order ID has letters, digits, dots, hyphens and underscores only';
      return { failure: { code: 'ORDER_ID_INVALID', message, field: 'detail.orderId' } };
    }
    return whileClaimed(ports, command, async () => {
      const stored = await ports.documents.find(key);
      if (stored && !isToBeFetched(stored, command)) return { stored };
      return fetchAndStore(ports, command, { store, key, sendWithinMs });
    });
  };
  const { storeClientId, time } = command;
  const fetched = await forConnectedStore(ports, storeClientId, work, time).catch((error) => ({
    failure: discardedFault(error),
  }));
  if (fetched !== undefined) return fetched;
  return { failure: unknownStore(storeClientId) };
}

/** A command that asks for a fresh document is content with one that it stored itself before it was cut short. */
function isToBeFetched(stored: StoredDocument, { refresh, commandId }: DocumentCommand): boolean {
  return refresh === true && stored.commandId !== commandId;
}

async function fetchAndStore(
  ports: FetchDocumentPorts,
  command: DocumentCommand,
  { store, key, sendWithinMs }: { store: StoreCredentials; key: string; sendWithinMs: number | undefined },
): Promise<DocumentOutcome> {
  try {
    const keep: DocumentKeeper<StoredDocument> = (document) =>
      ports.documents.put(key, document, command.commandId);
    const send = () => generate(ports.calls, command, store, keep);
    return { stored: await sendAgain(ports, send, sendWithinMs) };
  } catch (error) {
    if (!(error instanceof MarketplaceError) || !isFinalRefusal(error)) throw error;
    const { code, message, requestId, status, context } = error;
    return {
      failure: {
        code,
        message: boundedText(message),
        ...(requestId !== undefined && { requestId }),
        ...(status !== undefined && { status }),
        ...(context && { context: boundedDetails(context) }),
      },
    };
  }
}

function generate(
  calls: DocumentCalls,
  { document, orderId, includeItems }: DocumentCommand,
  store: StoreCredentials,
  keep: DocumentKeeper<StoredDocument>,
): Promise<StoredDocument> {
  return document === 'invoice'
    ? calls.generateInvoice(store, { orderId }, keep)
    : calls.generateShippingLabel(store, { orderId, includeItems }, keep);
}
