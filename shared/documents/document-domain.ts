import { z } from 'zod';
import type { IncomingEvent } from '../events/incoming.ts';
import { MarketplaceError } from '../marketplace/errors.ts';
import { documentKindSchema } from '../marketplace/fields.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { NotYetError } from '../requests/rules/deferral.ts';
import { faultOf } from '../requests/use-cases/run-request.ts';
import { type DocumentCommand, type DocumentOutcome, documentOutcomeSchema } from './model.ts';
import { documentKey, orderIdFault } from './rules/document-key.ts';
import {
  type AnnounceDocumentPorts,
  announceDocument,
  reportFailure,
} from './use-cases/announce-document.ts';
import { type FetchDocumentPorts, fetchDocument } from './use-cases/fetch-document.ts';

export interface DocumentDomainPorts extends FetchDocumentPorts, AnnounceDocumentPorts {
  /** How long after its command an order may take to come into a state that allows the document, in milliseconds. */
  readonly waitForStateMs: number;
}

const detailType = 'order.document.requested';

/** The one row of a request for a document. */
const rowSchema = z.object({ includeItems: z.boolean().optional(), refresh: z.boolean().optional() });

/** What came was no document that can be kept. */
const NOT_A_DOCUMENT = /^DOCUMENT_/;
/** How often something else may come in place of a document, within one delivery of its command. */
const MAX_ODD_ANSWERS = 3;

/** Shipping labels and invoices: each command is a request of its own, and may be sent again. */
export function createDocumentDomain(ports: DocumentDomainPorts): Domain<DocumentCommand> {
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

    send: async ({ record, items, store, senderId, failures }, recordAttempt): Promise<DocumentOutcome> => {
      const command = factsOf(record);
      const wanted = { ...command, ...rowSchema.parse(items[0]) };
      try {
        return { stored: await fetchDocument(ports, wanted, { store, holder: senderId, recordAttempt }) };
      } catch (error) {
        if (!(error instanceof MarketplaceError)) throw error;
        const { code, message } = error;
        const facts = { time: command.time, now: ports.clock.now(), waitMs: ports.waitForStateMs };
        const delayMs = pauseForState(error, facts);
        if (delayMs !== undefined) throw new NotYetError(message, { code, delayMs, cause: error });
        if (NOT_A_DOCUMENT.test(code) && failures + 1 >= MAX_ODD_ANSWERS) return { failure: faultOf(error) };
        throw error;
      }
    },

    apply: async (record) => {
      const command = factsOf(record);
      await announceDocument(ports, command, outcomeOf(record) ?? (await lookUp(ports, command, record)));
    },
  };
}

/** The outcome that a request ended with; `undefined` where it is unknown. */
export function outcomeOf({ state, answer, fault }: RequestRecord): DocumentOutcome | undefined {
  if (state === 'answered') return documentOutcomeSchema.parse(answer);
  return state === 'refused' && fault ? { failure: fault } : undefined;
}

/** The document may be stored though its sender ended before it could say so. */
async function lookUp(
  { documents }: FetchDocumentPorts,
  command: DocumentCommand,
  { recordId, fault }: RequestRecord,
): Promise<DocumentOutcome> {
  const stored = await documents.find(documentKey(command));
  if (stored?.commandId === command.commandId) return { stored };
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

/** Milliseconds before a document is asked for again: the command's age within these, so that it doubles each time. */
const SHORTEST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 900_000;

/**
 * How long to wait for an order whose state does not allow the document yet (ORDER_021).
 *
 * @param time epoch ms: when the command was given.
 * @param waitMs how long after its command an order may take to come so far; 0 for not at all.
 * @returns milliseconds; `undefined` when the refusal is final.
 */
function pauseForState(
  { code }: Pick<MarketplaceError, 'code'>,
  { time, now, waitMs }: { readonly time: number; readonly now: number; readonly waitMs: number },
): number | undefined {
  const left = time + waitMs - now;
  if (code !== 'ORDER_021' || left <= 0) return undefined;
  // The last look is at the deadline itself, however soon that is.
  return Math.min(left, LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, now - time));
}
