import * as z from 'zod';
import type { QueueSender } from '../../shared/aws/queue-sender.ts';
import { needsFetch, outcomeOf } from '../../shared/documents/document-domain.ts';
import { storedDocumentSchema } from '../../shared/documents/model.ts';
import type { DocumentBucket, DocumentDownloads } from '../../shared/documents/ports.ts';
import { documentKey, orderIdFault } from '../../shared/documents/rules/document-key.ts';
import { HttpError, type HttpResponse } from '../../shared/lambda/http-handler.ts';
import { documentKindSchema } from '../../shared/marketplace/fields.ts';
import type { EndedCommand } from '../../shared/requests/model.ts';
import { isoTimeSchema } from '../../shared/time/times.ts';
import { requestFailure } from './errors.ts';
import { getStore, storePath } from './for-store.ts';
import { openCommandSchema, type QueuedCommandPorts, queueCommand, waitQuery } from './queued-command.ts';
import { idSchema, type Route, rawRoute, route } from './route.ts';

/** Validity of a download URL. */
const URL_SECONDS = 300;

const documentPath = storePath.extend({
  orderId: idSchema,
  document: documentKindSchema,
});
const fetchQuery = z.strictObject({
  includeItems: z.stringbool().optional(),
  refresh: z.stringbool().optional(),
  ...waitQuery,
});

const storedSchema = storedDocumentSchema.omit({ commandId: true, includeItems: true });
const downloadSchema = storedSchema.extend({
  url: z.url(),
  /** When `url` expires. */
  expiresAt: isoTimeSchema,
});

export interface DocumentRoutesPorts extends QueuedCommandPorts {
  readonly documents: Pick<DocumentBucket, 'find'>;
  readonly downloads: DocumentDownloads;
  readonly documentCommands: QueueSender;
}

/** Shipping labels and invoices: fetched while the caller waits, downloaded by short-lived URLs. */
export function documentRoutes(ports: DocumentRoutesPorts): Route[] {
  return [
    rawRoute(
      'POST /stores/{storeClientId}/orders/{orderId}/documents/{document}',
      {
        summary:
          'Fetches a document into the bucket unless it is stored already; `refresh` fetches it again (§4.18, 4.19)',
        path: documentPath,
        query: fetchQuery,
        answers: { 200: storedSchema, 202: openCommandSchema },
      },
      async ({ path, query: { wait, ...query }, requestId: id }) => {
        await checkPath(ports, path);
        const found = await ports.documents.find(documentKey(path));
        const detail = { ...path, ...query };
        if (found && !needsFetch(found, { commandId: id, ...detail })) return { status: 200, body: found };
        const command = { id, detailType: 'order.document.requested', detail, wait } as const;
        return queueCommand(ports, ports.documentCommands, command, answerTo);
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

function answerTo({ requests: [request], fault }: EndedCommand): HttpResponse {
  if (fault !== undefined) throw requestFailure(fault);
  const outcome = request && outcomeOf(request);
  if (outcome !== undefined && 'stored' in outcome) return { status: 200, body: outcome.stored };
  const { code = 'REQUEST_ABANDONED', message = code } = outcome?.failure ?? request?.fault ?? {};
  throw requestFailure({ message, ...outcome?.failure, code }, outcome === undefined ? 'unknown' : 'refused');
}
