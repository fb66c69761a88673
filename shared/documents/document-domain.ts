import { z } from 'zod';
import type { IncomingEvent } from '../events/incoming.ts';
import { MarketplaceError } from '../marketplace/errors.ts';
import { documentKindSchema } from '../marketplace/fields.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { NotYetError } from '../requests/rules/deferral.ts';
import { faultOf } from '../requests/use-cases/run-request.ts';
import { type DocumentCommand, type DocumentOutcome, documentOutcomeSchema } from './model.ts';
import type { DocumentPorts } from './ports.ts';
import { documentKey, orderIdFault } from './rules/document-key.ts';
import { announceDocument, reportFailure } from './use-cases/announce-document.ts';
import { fetchDocument, needsFetch } from './use-cases/fetch-document.ts';

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
    plan: (commands) => ({
      requests: commands.map((command) => {
        const { document, orderId, includeItems, refresh } = command;
        const item = { includeItems, refresh };
        return { kind: document, rows: [{ command, index: 0, item, names: { orderId } }] };
      }),
      rejections: [],
    }),
    isRepeatable: () => true,

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

/** The sender may have been stopped before it recorded the answer, or another command may have stored the document. */
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

/** Milliseconds before the next request: the command's age within these bounds, so that it doubles each time. */
const SHORTEST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 900_000;

/**
 * Milliseconds to wait for an order whose state does not allow the document yet.
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
  return Math.min(left, LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, now - time));
}
