import { z } from 'zod';

/** A document of an order that the marketplace makes (§4.18, 4.19). */
export const documentKindSchema = z.enum(['shipping-label', 'invoice']);
export type DocumentKind = z.infer<typeof documentKindSchema>;

/** `order.document.requested`, with its defaults. */
export interface DocumentCommand {
  readonly storeClientId: string;
  /** The partner's own, or the event's ID. */
  readonly commandId: string;
  readonly eventId: string;
  /** Epoch ms: when the command was given. */
  readonly time: number;
  readonly orderId: string;
  readonly document: DocumentKind;
  readonly includeItems?: boolean | undefined;
  /** Fetches the document anew even if it is stored. */
  readonly refresh?: boolean | undefined;
}

/** A document in the document bucket. */
export const storedDocumentSchema = z.object({
  bucket: z.string(),
  key: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Lower-case hex. */
  sha256: z.string(),
  /** Command that had it stored. */
  commandId: z.string(),
  /** The marketplace's, where it gave one. */
  requestId: z.string().optional(),
});
export type StoredDocument = Readonly<z.infer<typeof storedDocumentSchema>>;

/** What became of a document command. */
export type DocumentOutcome = { readonly stored: StoredDocument } | { readonly failure: DocumentFailure };

/** Why there is no document and will be none. */
export interface DocumentFailure {
  readonly code: string;
  readonly message: string;
  /** Of the event at fault. */
  readonly field?: string;
  /** HTTP status of the marketplace's refusal. */
  readonly status?: number;
  readonly requestId?: string;
  /** What the marketplace told of it, such as `allowedSubstatuses` (§7), as much as a rejection takes. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Who fetches a document of an order, so that nobody else does meanwhile. */
export const documentClaimSchema = z.object({
  /** Unique to each time that somebody claims it; absent once it was given back. */
  holder: z.string().optional(),
  /** Epoch ms from which the holder is surely gone. */
  until: z.number(),
});
export type DocumentClaim = z.infer<typeof documentClaimSchema>;
