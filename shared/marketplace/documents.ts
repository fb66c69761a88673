import * as z from 'zod';
import { type AnswerReader, quotedHeader, readWhole, successBody, unusable } from './answers.ts';
import { type Call, MAX_ANSWER_BYTES } from './call.ts';
import { clientErrorCodes, MarketplaceError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { path, type RequestDescription, type StoreCredentials } from './request.ts';
import type { OpenResponse } from './transport.ts';
import { firstBytes, followedBy } from './unpacked.ts';

/** Content types under which servers send a PDF; the type may be missing. The bytes decide. */
const MAY_BE_PDF = /^((application|binary)\/(x-)?(pdf|octet-stream|download|force-download|gzip)\s*(;|$)|$)/i;
const PDF_HEADER = '%PDF-';
const PDF_END = '%%EOF';
/** As PDF readers do, looks for the header in this many bytes at the start, and for the end mark in this many at the end. */
const MARKED_WITHIN = 1024;
/** A request ID that fits into the metadata of an S3 object, which are ASCII of at most 2 KB. Any other ID is left out. */
const REQUEST_ID = /^[!-~]{1,200}$/;

/** A shipping label or an invoice while it is received. Its PDF header was checked. */
export interface IncomingDocument {
  /** Can be read once. Throws when the document grows too large or ends early, for example without the end mark of a PDF. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Size in bytes. Present if the answer names its length and is not compressed. */
  readonly size?: number | undefined;
  /** The content type of the answer; empty if it has none. */
  readonly contentType: string;
  /** The marketplace's name for the file, without folders; empty if it gives none. */
  readonly fileName: string;
  readonly requestId?: string | undefined;
}

/**
 * Stores a document while it is received. It must read the body to its end, and store nothing if the body throws. Its
 * errors pass through the call unchanged.
 */
export type SaveDocument<Saved> = (document: IncomingDocument) => Promise<Saved>;

export interface LabelRequest {
  readonly orderId: string;
  readonly includeItems?: boolean | undefined;
}

const labelQuery = z.strictObject({ includeItems: z.boolean().optional() });

/**
 * The calls that generate an order's documents. Each resolves with the result of `save`. Errors: ORDER_021 outside the
 * allowed states, SYS_DEP_503, `DOCUMENT_…` when the answer is not a PDF of at most 10 MiB.
 */
export function documentCallsOver(call: Call) {
  return {
    /** Generates the shipping label of an order (§4.18). */
    generateShippingLabel: async <Saved>(
      store: StoreCredentials,
      { orderId, includeItems }: LabelRequest,
      save: SaveDocument<Saved>,
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
        save,
        options,
      ),

    /** Generates the invoice of an order (§4.19). */
    generateInvoice: async <Saved>(
      store: StoreCredentials,
      { orderId }: { readonly orderId: string },
      save: SaveDocument<Saved>,
      options?: CallOptions,
    ) =>
      fetchDocument(
        call,
        { method: 'POST', path: path`/partner/stores/orders/${orderId}/documents/invoice`, as: store },
        save,
        options,
      ),
  };
}

async function fetchDocument<Saved>(
  call: Call,
  request: RequestDescription,
  save: SaveDocument<Saved>,
  options: CallOptions | undefined,
): Promise<Saved> {
  try {
    return await call(request, pdf(save), options);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.code !== clientErrorCodes.answerTooLarge) throw error;
    throw new MarketplaceError({
      code: clientErrorCodes.documentTooLarge,
      message: `The document is larger than ${MAX_ANSWER_BYTES} bytes`,
      outcome: error.outcome,
      retryable: false,
      cause: error,
    });
  }
}

/** Makes a reader of PDF answers. `save` gets the first byte once the header was found, and the last one once the end mark was found. */
function pdf<Saved>(save: SaveDocument<Saved>): AnswerReader<Saved> {
  return async (response) => {
    const { status, headers } = response;
    const { 'content-type': contentType = '', 'content-length': length } = headers;
    if (status < 200 || status >= 300 || !MAY_BE_PDF.test(contentType)) return refuse(response);
    const chunks = response.body[Symbol.asyncIterator]();
    const first = await firstBytes(chunks, (bytes) => hasHeader(bytes) || bytes.length >= MARKED_WITHIN);
    const body = followedBy(first, chunks);
    if (!hasHeader(first)) return refuse({ ...response, body });
    return save({
      body: untilEndMark(response, body),
      size: length === undefined ? undefined : Number(length),
      contentType,
      fileName: fileNameOf(headers['content-disposition']),
      requestId: REQUEST_ID.exec(headers['x-request-id'] ?? '')?.[0],
    });
  };
}

function hasHeader(bytes: Buffer): boolean {
  return bytes.subarray(0, MARKED_WITHIN).includes(PDF_HEADER);
}

/** An answer without a length ends with its connection, so it may end too early. */
async function* untilEndMark(
  response: Pick<OpenResponse, 'status'>,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let last = Buffer.alloc(0);
  for await (const chunk of body) {
    last = Buffer.concat([last, chunk]).subarray(-MARKED_WITHIN);
    yield chunk;
  }
  if (!last.includes(PDF_END))
    throw unusable(response, clientErrorCodes.documentIncomplete, 'The document ends before its end mark');
}

async function refuse(response: OpenResponse): Promise<never> {
  const whole = await readWhole(response);
  successBody(whole);
  const { documentEmpty, documentNotPdf } = clientErrorCodes;
  if (whole.body.length === 0) throw unusable(whole, documentEmpty, 'The document has no bytes');
  const contentType = quotedHeader(whole.headers, 'content-type');
  throw unusable(whole, documentNotPdf, `The document is not a PDF (${contentType})`);
}

/** The last path segment of the name in `Content-Disposition` (RFC 6266). */
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
