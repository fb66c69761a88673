import * as z from 'zod';
import { definedOf } from '../collections/defined-of.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import type { IncomingEvent } from '../events/incoming.ts';
import type { SaveDocument } from '../marketplace/documents.ts';
import { MarketplaceError } from '../marketplace/errors.ts';
import { documentKindSchema } from '../marketplace/fields.ts';
import type { StoreCredentials } from '../marketplace/request.ts';
import { type DocumentRecord, orderKeyOf } from '../orders/model.ts';
import { noteWaitingOrders } from '../orders/use-cases/note-waiting-orders.ts';
import type { Rejection } from '../rejections/model.ts';
import type { Domain, RecordAttempt, RequestToSend } from '../requests/domain.ts';
import { locked, type RequestFault, type RequestRecord } from '../requests/model.ts';
import { faultOf, NotYetError } from '../requests/rules/deferral.ts';
import { type CommandFault, rejectionOfCommand } from '../requests/rules/rejection.ts';
import type { IsoTime } from '../time/times.ts';
import { waitByAgeMs } from '../time/waits.ts';
import {
  type DocumentCommand,
  type DocumentOutcome,
  documentOutcomeSchema,
  type StoredDocument,
} from './model.ts';
import type { DocumentPorts } from './ports.ts';
import { documentKey, orderIdFault } from './rules/document-key.ts';

const detailType = 'order.document.requested';

/** The one row of a request for a document. */
const rowSchema = z.object({ includeItems: z.boolean().optional(), refresh: z.boolean().optional() });

/** Codes of an answer whose body is not a valid document. */
const NOT_A_DOCUMENT = /^DOCUMENT_/;
/** Most invalid documents per delivery of a command. */
const MAX_INVALID_ANSWERS = 3;

/** The ledger's domain for shipping labels and invoices. Each command is one request, which may be repeated. */
export function createDocumentDomain(ports: DocumentPorts): Domain<DocumentCommand> {
  return {
    detailTypes: [detailType],
    read: (event) => commandOf(event as IncomingEvent<typeof detailType>),
    reject: (command, fault) => reportFailure(ports, command, fault),
    faultOf: ({ orderId }) => orderIdFault(orderId),
    subjectsOf: ({ orderId }) => [orderKeyOf({ orderId })],
    noteWaiting: (command) => noteWaitingOrders(ports, command, [{ orderId: command.orderId }]),
    plan: (commands) => ({
      requests: commands.map((command) => {
        const { document, orderId, includeItems, refresh } = command;
        const item = { includeItems, refresh };
        return { kind: document, rows: [{ command, index: 0, item, names: { orderId } }] };
      }),
      rejections: [],
    }),
    isRepeatable: true,

    send: async (request, recordAttempt): Promise<DocumentOutcome> => {
      const command = { ...factsOf(request.record), ...rowSchema.parse(request.items[0]) };
      try {
        return { stored: await fetchDocument(ports, command, request, recordAttempt) };
      } catch (error) {
        if (!(error instanceof MarketplaceError)) throw error;
        const { code, message } = error;
        const delayMs = code === 'ORDER_021' ? pauseForState(ports, command) : undefined;
        if (delayMs !== undefined) throw new NotYetError(message, { code, delayMs, cause: error });
        const invalid = [...request.failures, code].filter((one) => NOT_A_DOCUMENT.test(one));
        if (invalid.length >= MAX_INVALID_ANSWERS) return { failure: faultOf(error) };
        throw error;
      }
    },

    apply: async (record, items = []) => {
      const command = { ...factsOf(record), ...rowSchema.safeParse(items[0]).data };
      await announceDocument(ports, command, outcomeOf(record) ?? (await findStored(ports, command, record)));
    },
  };
}

/** The outcome of a request; `undefined` if it is unknown. */
export function outcomeOf({ state, answer, fault }: RequestRecord): DocumentOutcome | undefined {
  if (state === 'answered') return documentOutcomeSchema.parse(answer);
  return state === 'refused' && fault ? { failure: fault } : undefined;
}

/**
 * Looks for the document in the bucket: the sender may have been stopped before it recorded the answer, or another command may have
 * stored it.
 */
async function findStored(
  { documents }: DocumentPorts,
  command: DocumentCommand,
  { recordId, fault }: RequestRecord,
): Promise<DocumentOutcome> {
  const stored = await documents.find(documentKey(command));
  if (stored && !needsFetch(stored, command)) return { stored };
  return { failure: fault ?? { code: 'REQUEST_ABANDONED', message: `request ${recordId} has no outcome` } };
}

function commandOf({ id, time, detail }: IncomingEvent<typeof detailType>): DocumentCommand {
  const { storeClientId, commandId = id, orderId, document, includeItems, refresh } = detail;
  const facts = { storeClientId, commandId, eventId: id, detailType, time };
  return { ...facts, orderId, document, includeItems, refresh };
}

function factsOf({ storeClientId, kind, commands: [command], rows: [row] }: RequestRecord): DocumentCommand {
  if (command === undefined || row?.orderId === undefined) throw new Error('no document command');
  return { ...command, storeClientId, orderId: row.orderId, document: documentKindSchema.parse(kind) };
}

/** The wait before the next request grows with the command's age: the age doubles each time. */
const waitForState = { share: 1, shortestMs: 15_000, longestMs: 900_000 };

/**
 * How long to wait for an order whose state does not allow the document yet.
 *
 * @returns `undefined` if the refusal is final.
 */
function pauseForState(
  { clock, waitForStateMs: waitMs }: DocumentPorts,
  { time }: DocumentCommand,
): number | undefined {
  const now = clock.now();
  const left = time + waitMs - now;
  if (left <= 0) return undefined;
  // The last request is sent at the deadline.
  return Math.min(left, waitByAgeMs(now - time, waitForState));
}

/** A document is locked for this long: longer than the timeout of the function that fetches it. */
export const DOCUMENT_LOCK_MS = 90_000;

/**
 * Fetches a document of an order into the document bucket, for one command at a time. A stored document is fetched again only if the
 * command has `refresh`, or asks by `includeItems` for a label of another kind.
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
  await lockDocument(ports, key, senderId, command);
  // Ignore a failed release, so that the document is not lost: the lock expires anyway.
  const release = () => unlockDocument(ports, key, senderId).catch(() => undefined);
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

type DocumentAsked = Pick<DocumentCommand, 'commandId' | 'document' | 'refresh' | 'includeItems'>;

/**
 * Whether a document must be fetched although one is stored. A document that an earlier delivery of the same command has stored is fresh.
 * A label with items and a label without items are different documents.
 */
export function needsFetch(
  stored: StoredDocument,
  { commandId, document, refresh, includeItems }: DocumentAsked,
): boolean {
  if (stored.commandId === commandId) return false;
  const isOther = document === 'shipping-label' && includeItems !== undefined;
  return refresh === true || (isOther && stored.includeItems !== includeItems);
}

function generate(
  { calls, documents }: DocumentPorts,
  command: DocumentCommand,
  store: StoreCredentials,
  recordAttempt: RecordAttempt,
): Promise<StoredDocument> {
  const { document, orderId, includeItems, commandId } = command;
  const save: SaveDocument<StoredDocument> = (incoming) =>
    documents.put(documentKey(command), incoming, commandId, includeItems);
  const options = { onAttempt: recordAttempt };
  return document === 'invoice'
    ? calls.generateInvoice(store, { orderId }, save, options)
    : calls.generateShippingLabel(store, { orderId, includeItems }, save, options);
}

/**
 * Locks a document for `holder`.
 *
 * @throws {ConnectorError} DOCUMENT_BUSY, retryable, while another holder has the lock.
 */
export async function lockDocument(
  { locks, clock }: Pick<DocumentPorts, 'locks' | 'clock'>,
  key: string,
  holder: string,
  { document, orderId }: Pick<DocumentCommand, 'document' | 'orderId'>,
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

export async function unlockDocument(
  { locks, clock }: Pick<DocumentPorts, 'locks' | 'clock'>,
  key: string,
  holder: string,
): Promise<void> {
  const updatedAt = new Date(clock.now()).toISOString();
  await locks.update(key, (current) => (current?.lock?.holder === holder ? { updatedAt } : undefined));
}

/** Stores the outcome of a document command in its order's record, and publishes it. */
async function announceDocument(
  ports: DocumentPorts,
  command: DocumentCommand,
  outcome: DocumentOutcome,
): Promise<void> {
  const { storeClientId, commandId, orderId, document } = command;
  const at = new Date(ports.clock.now()).toISOString();
  const orderKey = orderKeyOf({ orderId });
  await ports.orders.update(storeClientId, orderKey, (current) => {
    const record = recordOf(outcome, commandId, at, current?.documents?.[document]);
    const documents = { ...current?.documents, [document]: record };
    return { storeClientId, orderKey, orderId, ...current, documents };
  });
  if ('failure' in outcome) return void (await reportFailure(ports, command, outcome.failure));
  const { bucket, key, size, sha256, requestId } = outcome.stored;
  const of = { storeClientId, commandId, orderId, document };
  const detail = definedOf({ ...of, bucket, key, size, sha256, requestId });
  await ports.events.publish([{ detailType: 'document.stored', detail }]);
}

/** Stores a failure as a rejection, and publishes it. */
async function reportFailure(
  ports: Pick<DocumentPorts, 'rejections' | 'events'>,
  command: DocumentCommand,
  failure: CommandFault & Pick<RequestFault, 'requestId'>,
): Promise<Rejection> {
  const { storeClientId, commandId, orderId, document } = command;
  const { requestId, details: context } = failure;
  const further = definedOf({ requestId, context });
  const rejection = rejectionOfCommand(command, { ...failure, details: { document, ...further } });
  await ports.rejections.putAll([rejection]);
  const { code, message } = rejection;
  const detail = { storeClientId, commandId, orderId, document, code, message, ...further };
  await ports.events.publish([{ detailType: 'document.failed', detail }]);
  return rejection;
}

/** The outcome for the order's record. A failure keeps what was stored before. */
function recordOf(
  outcome: DocumentOutcome,
  commandId: string,
  at: IsoTime,
  before: DocumentRecord | undefined,
): DocumentRecord {
  if ('failure' in outcome) {
    const { code, message, requestId } = outcome.failure;
    const { key, sha256 } = before ?? {};
    return definedOf({ state: 'failed', commandId, at, key, sha256, code, message, requestId });
  }
  const { key, sha256, requestId } = outcome.stored;
  return definedOf({ state: 'stored', commandId, at, key, sha256, requestId });
}
