import { z } from 'zod';
import {
  type DocumentCommand,
  type DocumentFailure,
  type DocumentOutcome,
  documentKindSchema,
  storedDocumentSchema,
} from '../../shared/documents/model.ts';
import type { DocumentCalls, DocumentDownloads } from '../../shared/documents/ports.ts';
import { documentKey } from '../../shared/documents/rules/document-key.ts';
import {
  type AnnounceDocumentPorts,
  announceDocument,
} from '../../shared/documents/use-cases/announce-document.ts';
import { type FetchDocumentPorts, fetchDocument } from '../../shared/documents/use-cases/fetch-document.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import type { MarketplaceClient } from '../../shared/marketplace/client.ts';
import { type Route, route } from './route.ts';
import { statusOfFailure } from './status-of-failure.ts';
import { getStore, storePath } from './stores.ts';

/** Seconds for which a download URL holds. */
const URL_SECONDS = 300;
/** Milliseconds within which a document must have come: the HTTP API waits for 30 s. */
const FETCH_WITHIN_MS = 20_000;
/** Milliseconds within which it is asked for again, so that what came in place of it is told of before. */
const SEND_WITHIN_MS = 15_000;

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
  /** ISO 8601; when `url` ends to hold. */
  expiresAt: z.string(),
});

export interface DocumentRoutesPorts extends Omit<FetchDocumentPorts, 'calls'>, AnnounceDocumentPorts {
  readonly clock: FetchDocumentPorts['clock'];
  readonly downloads: DocumentDownloads;
  readonly marketplace: Pick<MarketplaceClient, 'generateInvoice' | 'generateShippingLabel'>;
}

/** Shipping labels and invoices: fetched now, and handed out by short-lived URLs. */
export function documentRoutes(ports: DocumentRoutesPorts): Route[] {
  return [
    route(
      'POST /stores/{storeClientId}/orders/{orderId}/documents/{document}',
      {
        summary:
          'Fetches a document into the bucket, unless it is there; `refresh` fetches it anew (§4.18, 4.19)',
        path: documentPath,
        query: fetchQuery,
        answers: { 200: storedSchema },
      },
      async ({ path, query, requestId }) => {
        await getStore(ports.stores, path.storeClientId);
        const time = ports.clock.now();
        const command = { ...path, ...query, commandId: requestId, eventId: requestId, time };
        const signal = AbortSignal.timeout(FETCH_WITHIN_MS);
        const outcome = await fetchDocument(
          { ...ports, calls: callsWithin(ports.marketplace, signal) },
          command,
          SEND_WITHIN_MS,
        );
        return { status: 200, body: await tell(ports, command, outcome) };
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
        await getStore(ports.stores, path.storeClientId);
        const key = documentKey(path);
        const stored = key === undefined ? undefined : await ports.documents.find(key);
        if (stored === undefined) {
          const message = `no ${path.document} of order ${path.orderId} is stored`;
          throw new HttpError(404, 'DOCUMENT_NOT_STORED', message);
        }
        const expiresAt = new Date(ports.clock.now() + URL_SECONDS * 1000).toISOString();
        const url = await ports.downloads.urlOf(stored.key, URL_SECONDS);
        return { status: 200, body: { ...stored, url, expiresAt } };
      },
    ),
  ];
}

function callsWithin(marketplace: DocumentRoutesPorts['marketplace'], signal: AbortSignal): DocumentCalls {
  return {
    generateInvoice: (store, request, keep) => marketplace.generateInvoice(store, request, keep, { signal }),
    generateShippingLabel: (store, request, keep) =>
      marketplace.generateShippingLabel(store, request, keep, { signal }),
  };
}

/** Tells of the document as its event would; a document that was there before is no news. */
async function tell(ports: DocumentRoutesPorts, command: DocumentCommand, outcome: DocumentOutcome) {
  if ('failure' in outcome) {
    const { code, message, field } = outcome.failure;
    if (field === undefined) await announceDocument(ports, command, outcome);
    throw new HttpError(statusOf(outcome.failure), code, message, detailsOf(outcome.failure));
  }
  if (outcome.stored.commandId === command.commandId) await announceDocument(ports, command, outcome);
  return outcome.stored;
}

/** What came and is no PDF is the marketplace's fault. */
function statusOf({ code, field, status }: DocumentFailure): number {
  if (code === 'STORE_UNKNOWN') return 404;
  if (field !== undefined) return 400;
  return statusOfFailure({ code, status, outcome: 'refused' });
}

/** What the marketplace told of a failure that is its own. */
function detailsOf({ requestId, context }: DocumentFailure) {
  if (requestId === undefined && context === undefined) return {};
  return { details: { marketplace: { requestId, context } } };
}
