import { createHash } from 'node:crypto';
import { z } from 'zod';
import { refuseFailure, unusable } from './answers.ts';
import type { Call } from './call.ts';
import { clientErrorCodes, MarketplaceError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { path, type RequestDescription, type StoreCredentials } from './request.ts';
import type { TransportResponse } from './transport.ts';

/** Largest document taken, in bytes. */
const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
const PDF_MAGIC = '%PDF-';

/** A shipping label or an invoice, checked to be a PDF. */
export interface MarketplaceDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** As the marketplace names it, without any folder; empty when it gives none. */
  readonly fileName: string;
  /** Lowercase hex, of `bytes`. */
  readonly sha256: string;
  readonly requestId?: string | undefined;
}

const labelQuery = z.strictObject({ includeItems: z.boolean().optional() });

/**
 * Generates the shipping label of an order (§4.18).
 *
 * @throws {MarketplaceError} ORDER_021 outside the allowed states, SYS_DEP_503, or `DOCUMENT_…` when the answer is
 * not a PDF within the limit of 10 MiB.
 */
export async function generateShippingLabel(
  call: Call,
  store: StoreCredentials,
  request: { readonly orderId: string; readonly includeItems?: boolean | undefined },
  options?: CallOptions,
): Promise<MarketplaceDocument> {
  const { orderId, includeItems } = request;
  return fetchDocument(
    call,
    {
      endpoint: 'generateShippingLabel',
      method: 'POST',
      path: path`/partner/stores/orders/${orderId}/documents/shipping-label`,
      as: store,
      query: { schema: labelQuery, value: { includeItems } },
    },
    options,
  );
}

/** Generates the invoice of an order (§4.19). Errors as in {@link generateShippingLabel}. */
export async function generateInvoice(
  call: Call,
  store: StoreCredentials,
  request: { readonly orderId: string },
  options?: CallOptions,
): Promise<MarketplaceDocument> {
  return fetchDocument(
    call,
    {
      endpoint: 'generateInvoice',
      method: 'POST',
      path: path`/partner/stores/orders/${request.orderId}/documents/invoice`,
      as: store,
    },
    options,
  );
}

async function fetchDocument(
  call: Call,
  request: RequestDescription,
  options: CallOptions | undefined,
): Promise<MarketplaceDocument> {
  try {
    return await call({ ...request, maxAnswerBytes: MAX_DOCUMENT_BYTES }, readPdf, options);
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

/** Reads a PDF answer, checking its content type and its first bytes. */
function readPdf(response: TransportResponse): MarketplaceDocument {
  refuseFailure(response);
  const { headers, body: bytes } = response;
  const contentType = headers['content-type'] ?? '';
  if (bytes.length === 0) {
    throw unusable(response, clientErrorCodes.documentEmpty, 'The document has no bytes');
  }
  const magic = Buffer.from(bytes.subarray(0, PDF_MAGIC.length)).toString('latin1');
  if (!/^application\/pdf\s*(;|$)/i.test(contentType) || magic !== PDF_MAGIC) {
    const message = `The document is not a PDF (${contentType || 'no content type'})`;
    throw unusable(response, clientErrorCodes.documentNotPdf, message);
  }
  return {
    bytes,
    contentType,
    fileName: fileNameOf(headers['content-disposition']),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    requestId: headers['x-request-id'],
  };
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
