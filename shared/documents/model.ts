import * as z from 'zod';
import type { DocumentKind } from '../marketplace/fields.ts';
import { type Command, requestFaultSchema } from '../requests/model.ts';

/** `order.document.requested`, with its defaults. */
export interface DocumentCommand extends Command {
  readonly orderId: string;
  readonly document: DocumentKind;
  readonly includeItems?: boolean | undefined;
  /** Fetches the document again even if it is stored. */
  readonly refresh?: boolean | undefined;
}

export const storedDocumentSchema = z.object({
  bucket: z.string(),
  key: z.string(),
  /** Size in bytes. */
  size: z.int(),
  /** Lower-case hex. */
  sha256: z.string(),
  commandId: z.string(),
  /** Whether the label was requested with its items. Absent if the command did not say it. */
  includeItems: z.boolean().optional(),
  /** The marketplace's request ID. */
  requestId: z.string().optional(),
});
export type StoredDocument = Readonly<z.infer<typeof storedDocumentSchema>>;

export const documentOutcomeSchema = z.union([
  z.object({ stored: storedDocumentSchema }),
  z.object({ failure: requestFaultSchema }),
]);
export type DocumentOutcome = z.infer<typeof documentOutcomeSchema>;
