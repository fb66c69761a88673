import * as z from 'zod';
import { createDocumentDomain, outcomeOf } from '../../shared/documents/document-domain.ts';
import {
  type DocumentCommand,
  type StoredDocument,
  storedDocumentSchema,
} from '../../shared/documents/model.ts';
import type { DocumentDownloads, DocumentPorts } from '../../shared/documents/ports.ts';
import { documentKey, orderIdFault } from '../../shared/documents/rules/document-key.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { documentKindSchema } from '../../shared/marketplace/fields.ts';
import type { LedgerPorts } from '../../shared/requests/ports.ts';
import { performCommands } from '../../shared/requests/use-cases/perform-commands.ts';
import { isoTimeSchema } from '../../shared/time/times.ts';
import { refusedRequest } from './errors.ts';
import { getStore, storePath } from './for-store.ts';
import { type Route, route } from './route.ts';

/** Validity of a download URL. */
const URL_SECONDS = 300;
/** Time limit of fetching a document, within the 30 s of an HTTP API. */
const FETCH_WITHIN_MS = 20_000;

const documentPath = storePath.extend({
  orderId: z.string().min(1).max(200),
  document: documentKindSchema,
});
const fetchQuery = z.strictObject({
  includeItems: z.stringbool().optional(),
  refresh: z.stringbool().optional(),
});

const storedSchema = storedDocumentSchema.omit({ commandId: true });
const downloadSchema = storedSchema.extend({
  url: z.url(),
  /** An `IsoTime`: when `url` expires. */
  expiresAt: isoTimeSchema,
});

export interface DocumentRoutesPorts extends Omit<DocumentPorts, 'waitForStateMs' | 'clock'>, LedgerPorts {
  readonly downloads: DocumentDownloads;
}

/** Shipping labels and invoices: fetched at once, downloaded by short-lived URLs. */
export function documentRoutes(ports: DocumentRoutesPorts): Route[] {
  return [
    route(
      'POST /stores/{storeClientId}/orders/{orderId}/documents/{document}',
      {
        summary:
          'Fetches a document into the bucket unless it is stored already; `refresh` fetches it again (§4.18, 4.19)',
        path: documentPath,
        query: fetchQuery,
        answers: { 200: storedSchema },
      },
      async ({ path, query, requestId }) => {
        await checkPath(ports, path);
        const found = query.refresh ? undefined : await ports.documents.find(documentKey(path));
        if (found !== undefined) return found;
        const command = {
          ...path,
          ...query,
          commandId: requestId,
          eventId: requestId,
          detailType: 'order.document.requested',
          time: ports.clock.now(),
        };
        return fetchNow(ports, command);
      },
    ),

    route(
      'GET /stores/{storeClientId}/orders/{orderId}/documents/{document}',
      {
        summary: 'A short-lived download URL of a stored document',
        path: documentPath,
        answers: { 200: downloadSchema },
      },
      async ({ path }) => {
        await checkPath(ports, path);
        const stored = await ports.documents.find(documentKey(path));
        if (stored === undefined) {
          const message = `no ${path.document} of order ${path.orderId} is stored`;
          throw new HttpError(404, 'DOCUMENT_NOT_STORED', message);
        }
        const expiresAt = new Date(ports.clock.now() + URL_SECONDS * 1000).toISOString();
        const url = await ports.downloads.urlOf(stored.key, URL_SECONDS);
        return { ...stored, url, expiresAt };
      },
    ),
  ];
}

/** @throws HttpError 404 `STORE_UNKNOWN`, 400 `ORDER_ID_INVALID` */
async function checkPath(
  { stores }: DocumentRoutesPorts,
  { storeClientId, orderId }: z.infer<typeof documentPath>,
): Promise<void> {
  await getStore(stores, storeClientId);
  const fault = orderIdFault(orderId);
  if (fault !== undefined) throw new HttpError(400, fault.code, fault.message);
}

/** @throws HttpError, or the error that defers the command */
async function fetchNow(ports: DocumentRoutesPorts, command: DocumentCommand): Promise<StoredDocument> {
  const signal = AbortSignal.timeout(FETCH_WITHIN_MS);
  const calls: DocumentPorts['calls'] = {
    generateInvoice: (store, request, save, options) =>
      ports.calls.generateInvoice(store, request, save, { ...options, signal }),
    generateShippingLabel: (store, request, save, options) =>
      ports.calls.generateShippingLabel(store, request, save, { ...options, signal }),
  };
  const domain = createDocumentDomain({ ...ports, calls, waitForStateMs: 0 });
  const end = (await performCommands(ports, domain, [command])).get(command);
  const [request] = end?.requests ?? [];
  const outcome = request && outcomeOf(request);
  if (outcome === undefined) throw end?.error ?? new Error(`command ${command.commandId} has no end`);
  if ('stored' in outcome) return outcome.stored;
  throw refusedRequest(outcome.failure);
}
