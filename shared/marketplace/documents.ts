import { z } from 'zod';
import { type AnswerReader, refuseFailure, unusable } from './answers.ts';
import type { Call } from './call.ts';
import { clientErrorCodes, MarketplaceError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { path, type RequestDescription, type StoreCredentials } from './request.ts';
import { type OpenResponse, readWhole } from './transport.ts';

/** Largest document taken, in bytes. */
const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
const PDF_TYPE = /^application\/pdf\s*(;|$)/i;
const PDF_MAGIC = '%PDF-';

/** A shipping label or an invoice as it comes: by its type and its first bytes a PDF. */
export interface IncomingDocument {
  /** To be read once; throws when it ends before it is complete, or grows too large. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Bytes, where the answer says so beforehand. */
  readonly size?: number | undefined;
  readonly contentType: string;
  /** As the marketplace names it, without any folder; empty when it gives none. */
  readonly fileName: string;
  readonly requestId?: string | undefined;
}

/**
 * Stores a document as it is received. It must read the body to its end, and store nothing if the body throws. Its own
 * errors pass through the call unchanged.
 */
export type DocumentKeeper<Kept> = (document: IncomingDocument) => Promise<Kept>;

export interface LabelRequest {
  readonly orderId: string;
  readonly includeItems?: boolean | undefined;
}

const labelQuery = z.strictObject({ includeItems: z.boolean().optional() });

/**
 * The calls that generate an order's documents; each resolves with what `keep` made of it, and throws ORDER_021 outside
 * the allowed states, SYS_DEP_503, or `DOCUMENT_…` when the answer is not a PDF within the limit of 10 MiB.
 */
export function documentCallsOver(call: Call) {
  return {
    /** Generates the shipping label of an order (§4.18). */
    generateShippingLabel: async <Kept>(
      store: StoreCredentials,
      { orderId, includeItems }: LabelRequest,
      keep: DocumentKeeper<Kept>,
      options?: CallOptions,
    ) =>
      fetchDocument(
        call,
        {
          method: 'POST',
          path: path`/partner/stores/orders/${orderId}/documents/shipping-label`,
          as: store,
          query: { schema: labelQuery, value: { includeItems } },
        },
        keep,
        options,
      ),

    /** Generates the invoice of an order (§4.19). */
    generateInvoice: async <Kept>(
      store: StoreCredentials,
      { orderId }: { readonly orderId: string },
      keep: DocumentKeeper<Kept>,
      options?: CallOptions,
    ) =>
      fetchDocument(
        call,
        { method: 'POST', path: path`/partner/stores/orders/${orderId}/documents/invoice`, as: store },
        keep,
        options,
      ),
  };
}

async function fetchDocument<Kept>(
  call: Call,
  request: RequestDescription,
  keep: DocumentKeeper<Kept>,
  options: CallOptions | undefined,
): Promise<Kept> {
  try {
    return await call({ ...request, maxAnswerBytes: MAX_DOCUMENT_BYTES }, pdf(keep), options);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== clientErrorCodes.answerTooLarge) throw error;
    throw new MarketplaceError({
      code: clientErrorCodes.documentTooLarge,
      message: `The document is larger than ${MAX_DOCUMENT_BYTES} bytes`,
      outcome: error.outcome,
      retryable: false,
      cause: error,
    });
  }
}

/** Makes a reader of PDF answers: their content type and their first bytes are checked before any is handed on. */
function pdf<Kept>(keep: DocumentKeeper<Kept>): AnswerReader<Kept> {
  return async (response) => {
    const { status, headers } = response;
    const contentType = headers['content-type'] ?? '';
    if (status < 200 || status >= 300 || !PDF_TYPE.test(contentType)) return refuse(response);
    const chunks = response.body[Symbol.asyncIterator]();
    const first = await readFirst(chunks);
    if (first.length === 0) throw empty(response);
    if (first.subarray(0, PDF_MAGIC.length).toString('latin1') !== PDF_MAGIC) throw notPdf(response);
    return keep({
      body: followedBy(first, chunks),
      size: sizeOf(headers['content-length']),
      contentType,
      fileName: fileNameOf(headers['content-disposition']),
      requestId: headers['x-request-id'],
    });
  };
}

/** Throws the error for an answer that is not a PDF. */
async function refuse(response: OpenResponse): Promise<never> {
  const whole = await readWhole(response);
  refuseFailure(whole);
  throw whole.body.length === 0 ? empty(whole) : notPdf(whole);
}

function empty(response: Pick<OpenResponse, 'status'>): MarketplaceError {
  return unusable(response, clientErrorCodes.documentEmpty, 'The document has no bytes');
}

function notPdf(response: Pick<OpenResponse, 'status' | 'headers'>): MarketplaceError {
  const contentType = response.headers['content-type'] ?? 'no content type';
  return unusable(response, clientErrorCodes.documentNotPdf, `The document is not a PDF (${contentType})`);
}

/** As many chunks as tell a PDF; fewer bytes where there are no more. */
async function readFirst(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let first = Buffer.alloc(0);
  while (first.length < PDF_MAGIC.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  return first;
}

async function* followedBy(first: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

function sizeOf(contentLength: string | undefined): number | undefined {
  return contentLength === undefined ? undefined : Number(contentLength);
}

/** The name in `Content-Disposition` (RFC 6266), its last path segment only. */
function fileNameOf(disposition = ''): string {
  const encoded = /;\s*filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const name = decode(encoded) ?? (plain?.[1] ?? plain?.[2] ?? '').replace(/\\(.)/g, '$1');
  return name.split(/[/\\]/).at(-1) ?? '';
}

function decode(encoded: string | undefined): string | undefined {
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
